"""A well-formed secret of every kind that the redaction plugin knows; none was ever issued."""

# Put together from parts, so that no scanner takes the test suite for a leak.
WORD36 = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fG3hJ6"
WORD64 = WORD36 + "kL9nM2pQ5rS8tU1vW4xY7zA0bC3d"
HEX64 = "0123456789abcdef" * 4
PEM_BODY = "\n".join([WORD64] * 3)

SAMPLES = {
    "private-key": "-----BEGIN RSA PRIVATE " + f"KEY-----\n{PEM_BODY}\n-----END RSA PRIVATE KEY-----",
    "aws-key": "AKIA" + "IOSFODNN7EXAMPLE".replace("1", "A"),
    "aws-secret": "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY",
    "github-token": "ghp_" + WORD36,
    "gitlab-token": "glpat-" + WORD36[:20],
    "slack-token": "xoxb-" + "123456789012-123456789012-" + WORD36[:24],
    "slack-webhook": "T00000000/B00000000/" + WORD36[:24],
    "stripe-key": "sk_live_" + WORD36[:24],
    "anthropic-key": "sk-ant-" + "api03-" + WORD64,
    "openai-key": "sk-" + "proj-" + WORD64,
    "google-key": "AIza" + WORD36[:35],
    "google-oauth": "GOCSPX-" + WORD36[:28],
    "huggingface-token": "hf_" + WORD36[:34],
    "npm-token": "npm_" + WORD36,
    "pypi-token": "pypi-" + "AgEIcHlwaS5vcmc" + WORD64,
    "sendgrid-key": "SG." + WORD36[:22] + "." + WORD64[:43],
    "azure-storage-key": WORD64 + WORD36[:22] + "==",
    "azure-client-secret": WORD36[:34],
    "heroku-key": "HRKU-" + "AA" + WORD64[:56],
    "databricks-token": "dapi" + HEX64[:32],
    "terraform-token": WORD64,
    "vault-token": "hvs." + WORD64,
    "doppler-token": "dp." + "pt." + WORD64[:43],
    "pulumi-token": "pul-" + HEX64[:40],
    "planetscale-token": "pscale_" + "tkn_" + WORD64[:43],
    "supabase-key": "sbp_" + HEX64[:40],
    "docker-token": "dckr_" + "pat_" + WORD36[:27],
    "rubygems-key": "rubygems_" + HEX64[:48],
    "crates-token": "cio" + WORD36[:32],
    "nuget-key": "oy2" + WORD64[:43].lower(),
    "atlassian-token": "ATATT3" + WORD64 + "=1A2B3C4D",
    "linear-key": "lin_" + "api_" + WORD64[:40],
    "notion-token": "ntn_" + WORD64[:46],
    "airtable-token": "pat" + WORD36[:14] + "." + HEX64,
    "figma-token": "figd_" + WORD64[:40],
    "postman-key": "PMAK-" + HEX64[:24] + "-" + HEX64[:34],
    "newrelic-key": "NRAK-" + WORD36[:27].upper(),
    "grafana-token": "glsa_" + WORD36[:32] + "_" + HEX64[:8],
    "sentry-token": "sntrys_" + "eyJpYXQiOjE3" + WORD64,
    "shopify-token": "shpat_" + HEX64[:32],
    "square-token": "sq0atp-" + WORD36[:22],
    "braintree-token": "access_token$" + "production$" + HEX64[:16] + "$" + HEX64[:32],
    "mailgun-key": "key-" + HEX64[:32],
    "twilio-key": "SK" + HEX64[:32],
    "discord-webhook": WORD64 + "_-ab",
    "teams-webhook": "1b2c3d4e-0000-4000-8000-123456789abc@" + HEX64[:32] + "/IncomingWebhook/" + HEX64[:32],
    "groq-key": "gsk_" + WORD64[:52],
    "perplexity-key": "pplx-" + WORD64[:48],
    "replicate-token": "r8_" + WORD36 + "x",
    "xai-key": "xai-" + WORD64 + WORD36[:16],
    "langsmith-key": "lsv2_" + "pt_" + HEX64[:32] + "_" + HEX64[:10],
    "age-key": "AGE-SECRET-" + "KEY-1" + WORD64[:58].upper(),
    "digitalocean-token": "dop_v1_" + HEX64,
    "telegram-token": "AA" + WORD36[:33],
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0." + WORD36,
    "url-password": "s3cr3t-pass",
    "auth-header": WORD36,
    "secret": "correct-horse-7-battery",
}

AROUND = {  # kinds that are known by what stands before them
    "aws-secret": "aws_secret_access_key = {}",
    "slack-webhook": "curl https://hooks.slack.com/services/{}",
    "azure-storage-key": "AccountName=acme;AccountKey={};EndpointSuffix=core.windows.net",
    "azure-client-secret": "value: abc8Q~{} end",
    "terraform-token": "value: aB3dE6gH9jK2mN.atlasv1.{} end",
    "discord-webhook": "curl https://discord.com/api/webhooks/123456789012345678/{}",
    "teams-webhook": "curl https://acme.webhook.office.com/webhookb2/{}",
    "url-password": "postgresql://app:{}@db.internal:5432/app",
    "telegram-token": "https://api.telegram.org/bot1234567890:{}/getMe",
    "auth-header": "Authorization: Bearer {}",
    "secret": "DB_PASSWORD={}",
}


def in_text(kind: str) -> str:
    return AROUND.get(kind, "value: {} end").format(SAMPLES[kind])
