"""Personal data that a user may have masked too: formats that a checksum or a rule of their issuer confirms.

Every pattern runs in linear time on hostile text: repeats have limits, and none can match a text in two ways.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

from hermes_sdk.masking.kinds import Kind, kind

if TYPE_CHECKING:
    from hermes_sdk.masking.stand_ins import Candidate

_IBAN_LENGTHS: Final = {  # SWIFT, "IBAN registry"
    15: "NO",
    16: "BE",
    18: "DK FI FK FO GL NL SD",
    19: "MK SI",
    20: "AT BA EE KZ LT LU MN XK",
    21: "CH CR HR LI LV",
    22: "BG BH DE GB GE IE ME RS VA",
    23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU YE",
    31: "MT SC",
    32: "LC",
    33: "RU",
}
_IBAN: Final = "|".join(
    rf"(?:{'|'.join(countries.split())})[0-9]{{2}}(?: ?[A-Z0-9]){{{length - 4}}}"
    for length, countries in _IBAN_LENGTHS.items()
)
_OCTET: Final = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"


def _digits(value: str) -> list[int]:
    return [int(character) for character in value if character.isdigit()]


def _luhn(found: Candidate) -> bool:
    """ISO/IEC 7812-1, annex B."""
    digits = _digits(found.value)[::-1]
    return sum(digits[0::2] + [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]) % 10 == 0


def _mod_97(found: Candidate) -> bool:
    """ISO 13616: the country and check digits go to the end, letters count from 10, the rest of 97 is 1."""
    compact = found.value.replace(" ", "")
    return int("".join(str(int(character, 36)) for character in compact[4:] + compact[:4])) % 97 == 1


def _cpf(found: Candidate) -> bool:
    """Receita Federal: two check digits, each from the digits before it."""
    digits = _digits(found.value)
    return len(set(digits)) > 1 and all(
        sum(digit * weight for digit, weight in zip(digits, range(size + 1, 1, -1), strict=False)) * 10 % 11 % 10
        == digits[size]
        for size in (9, 10)
    )


def _address(found: Candidate) -> bool:
    """Whether this is an IP address that says something about somebody: not loopback, not `::`."""
    try:
        address = ipaddress.ip_address(found.value)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


PERSONAL: Final[tuple[Kind, ...]] = (
    kind(  # RFC 5321, with the length of a local part and of a label
        "email", r"(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])"
    ),
    kind("phone", r"\+(?<![\w+]\+)[1-9](?:[ ().-]{0,2}[0-9]){7,14}(?![0-9])"),  # ITU-T E.164
    kind("iban", rf"(?<![A-Za-z0-9])(?:{_IBAN})(?![A-Za-z0-9])", accept=_mod_97),
    kind(  # Visa, Mastercard, Discover; American Express
        "card",
        r"(?<![0-9.])(?:4[0-9]{3}|5[1-5][0-9]{2}|2[2-7][0-9]{2}|6011|65[0-9]{2})(?:[ -]?[0-9]{4}){3}(?![0-9])",
        r"(?<![0-9.])3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}(?![0-9])",
        accept=_luhn,
    ),
    kind("ipv4", rf"(?<![\w.-])(?:{_OCTET}\.){{3}}{_OCTET}(?![\w-]|\.[0-9])", accept=_address),
    kind("ipv6", r"(?<![\w:.])[0-9a-fA-F]{0,4}:[0-9a-fA-F:]{1,34}(?![\w:])", accept=_address),
    kind("us-ssn", r"(?<![\w-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![\w-])"),  # SSA
    kind(  # HMRC, "National Insurance Manual" NIM39110
        "uk-nino", r"(?<!\w)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D](?!\w)"
    ),
    kind("br-cpf", r"(?<![\w.-])[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}(?![\w-])", accept=_cpf),
)
"""Looked for only where the settings name them, after the secrets."""
