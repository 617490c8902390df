"""Personal data that the redaction plugin masks where its settings name it; all values are made up."""

import pytest
from redaction.masker import Masker
from redaction.personal import PERSONAL
from redaction.settings import Settings

SAMPLES = {
    "email": ["jo.doe+news@mail.example.co.uk", "a@b.io", "first_last@sub-domain.example"],
    "phone": ["+44 20 7946 0958", "+12025550143", "+49 (30) 901820", "+33-1-99-00-12-34"],
    "iban": [
        "DE89 3704 0044 0532 0130 00",
        "GB82WEST12345698765432",
        "FR1420041010050500013M02606",
        "NO9386011117947",
        "MT84MALT011000012345MTLCAST001S",
    ],
    "card": ["4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005", "2223003122003222", "6011000990139424"],
    "ipv4": ["203.0.113.7", "10.20.30.40", "255.255.255.255"],
    "ipv6": ["2001:db8::8a2e:370:7334", "fe80::1", "2001:0db8:0000:0000:0000:ff00:0042:8329"],
    "us-ssn": ["219-09-9999"],
    "uk-nino": ["AB 12 34 56 C", "AB123456C"],
    "br-cpf": ["111.444.777-35"],
}
ORDINARY = {
    "email": ["@decorator(name)", "user@localhost", "git@host:path", "npm i @scope/package@1.2.3"],
    "phone": ["1 + 12345", "a+12345678901", "+0123456789", "version 1.0+20240101"],
    "iban": ["DE89 3704 0044 0532 0130 01", "GB82WEST1234569876543", "XDE89370400440532013000", "ES00 aaaa bbbb"],
    "card": ["4111 1111 1111 1112", "41111111111111111", "0.4111111111111111", "1234567890123456"],
    "ipv4": ["127.0.0.1", "0.0.0.0", "1.2.3", "1.2.3.4.5", "256.1.1.1", "v1.2.3.4"],
    "ipv6": ["::1", "::", "12:30:45", "aa:bb:cc:dd:ee:ff", "std::vector", "a::b::c", "key: value", "C:\\path"],
    "us-ssn": ["000-12-3456", "666-12-3456", "900-12-3456", "123-00-4567", "123-45-0000", "1123-45-6789"],
    "uk-nino": ["DA123456C", "AO123456C", "AB123456E", "XAB123456C"],
    "br-cpf": ["111.444.777-36", "111.111.111-11"],
}


def only(kind):
    """Return a masker that knows this kind alone, as the settings name it."""
    return Masker([one for one in Settings(personal=[kind]).kinds() if one.name == kind])


def test_every_kind_has_samples_and_ordinary_text():
    assert [*SAMPLES] == [*ORDINARY] == [kind.name for kind in PERSONAL]


@pytest.mark.parametrize(("kind", "value"), [(kind, value) for kind in SAMPLES for value in SAMPLES[kind]])
@pytest.mark.parametrize("around", ["{}", "it is {}, he said", '"{}"', "<{}>", "x={};", "({}).\nNEXT LINE"])
def test_it_is_masked_where_it_is_named(kind, value, around):
    assert only(kind).mask(around.format(value)) == around.format(f"[redacted:{kind}:1]")


@pytest.mark.parametrize("value", [value for values in SAMPLES.values() for value in values])
def test_it_is_left_alone_unless_it_is_named(value):
    assert Masker(Settings().kinds()).mask(value) is value


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind in ORDINARY for text in ORDINARY[kind]])
def test_what_only_looks_like_it_is_left_alone(kind, text):
    assert only(kind).mask(text) is text


@pytest.mark.parametrize(
    "piece",
    [
        *("a", "a.", "a@", "a@a.", "@", "+1", "+1 ", "+", "DE89", "DE89 ", "D", "A1", "4111", "4111 ", "4", "3782"),
        *("1.", "1.1.1.1", "255", ":", "a:", "::", "0:0", "123-", "123-45-", "AB 1", "AB12", "111.", "111.444.777-"),
    ],
)
def test_hostile_repetition_costs_linear_work(piece):
    """A quadratic pattern needs minutes for 400,000 characters: the suite's timeout would end the test."""
    Masker(PERSONAL).mask(piece * (400_000 // len(piece)))
