"""Whose memory a session reads: the local user's, a sender's, or its own."""

from memory_recall.scope import LOCAL, Scope, scope_of


def test_all_local_surfaces_share_the_memory_of_the_machines_user():
    assert scope_of("cli", "", "s1") == scope_of("CLI", None, "s2") == scope_of(None, None, None) == LOCAL


def test_a_chat_has_a_memory_for_each_sender():
    assert scope_of("telegram", "7", "s1") == Scope("telegram", "7")
    assert scope_of("telegram", "7", "s1") != scope_of("telegram", "8", "s1")
    assert scope_of("telegram", "7", "s1") != scope_of("discord", "7", "s1")


def test_without_a_sender_nothing_leaves_the_session():
    assert scope_of("telegram", "", "s1") == Scope("session", "s1")
    assert scope_of("telegram", "", "s1") != scope_of("telegram", "", "s2")


def test_no_part_of_a_key_can_pass_for_another():
    assert Scope("a", "b:c").key != Scope("a:b", "c").key
    assert Scope("1:a", "").key != Scope("1", "a:").key
