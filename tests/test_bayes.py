"""Replies that may be wrong: the posterior against exact enumeration, the choice of guesses, the edges."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bcsearch.bayes import (
    ImpossibleRepliesError,
    Posterior,
    best_guesses,
    information,
    noise_bits,
    posterior_after,
)
from bcsearch.calibration import Reliability, calibrate
from bcsearch.errors import UsageError
from bcsearch.game import Game, parse_game
from bcsearch.hosts import Scorer
from bcsearch.liars import Doubt
from bcsearch.players import Bayesian
from bcsearch.ranking import rank_guesses
from bcsearch.scoring import reply_matrix, score

ROWS = st.lists(st.integers(0, 10**6), max_size=4)


def truth(game: Game, secret: int, guess: int) -> int:
    return game.replies.index(score(list(game.secrets[secret]), list(game.guesses[guess])))


def chance(game: Game, q: Fraction, secret: int, guess: int, reply: int) -> Fraction:
    """Probability of a reply, straight from the host's rule."""
    true = truth(game, secret, guess)
    if game.win in (true, reply):
        return Fraction(int(true == reply))
    return (1 - q) * int(true == reply) + q * Fraction(1, len(game.replies) - 1)


@pytest.mark.parametrize("q", [Fraction(0), Fraction(1, 20), Fraction(1, 3), Fraction(1)])
def test_posterior_equals_exact_enumeration_of_all_reply_sequences(q: Fraction) -> None:
    game = parse_game("p2c3r")
    secrets, scorer = range(len(game.secrets)), Scorer(game)
    total = Fraction(0)
    for guesses in [(1, 5, 3), (4, 4, 0)]:
        for replies in itertools.product(range(len(game.replies)), repeat=3):
            rows = list(zip(guesses, replies, strict=True))
            joint = [Fraction(1, len(secrets)) for _ in secrets]
            for guess, reply in rows:
                joint = [p * chance(game, q, s, guess, reply) for s, p in zip(secrets, joint, strict=True)]
            total += sum(joint)
            if not sum(joint):
                with pytest.raises(ImpossibleRepliesError):
                    posterior_after(scorer, float(q), rows)
                continue
            found = posterior_after(scorer, float(q), rows)
            exact = {s: float(p / sum(joint)) for s, p in zip(secrets, joint, strict=True) if p}
            assert found.secrets.tolist() == list(exact)
            np.testing.assert_allclose(found.probabilities, list(exact.values()), rtol=1e-12)
    assert total == 2  # each list of guesses has probability 1 in all: the rule is a probability


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["p2c3r", "p3c4n"]),
    st.sampled_from([0.02, 0.2, 0.9, 1.0]),
    st.lists(st.integers(0, 10**6), max_size=4),
)
def test_information_equals_its_definition(name: str, q: float, numbers: list[int]) -> None:
    game = parse_game(name)
    belief = Posterior.start(Scorer(game, reply_matrix(game)), q)
    for number in numbers:
        guess, reply = number % len(game.guesses), (number // 7) % game.win
        belief = belief.update(guess, reply)
    bits, hits = information(belief)
    p = dict(zip(belief.secrets.tolist(), belief.probabilities.tolist(), strict=True))
    for guess in range(0, len(game.guesses), 4):
        table = {
            (s, r): p[s] * float(chance(game, Fraction(q), s, guess, r)) for s in p for r in range(len(game.replies))
        }
        reply = [sum(table[s, r] for s in p) for r in range(len(game.replies))]
        exact = sum(v * log2(v / (p[s] * reply[r])) for (s, r), v in table.items() if v > 0)
        assert bits[guess] == pytest.approx(exact, abs=1e-5)
        assert hits[guess] == pytest.approx(p.get(guess, 0.0), abs=1e-6)


def test_the_least_likely_are_passed_over_only_in_the_choice() -> None:
    game = parse_game("p2c4n")
    belief = Posterior.start(Scorer(game), 1e-9)
    for _ in range(3):
        belief = belief.update(0, 1)
    assert len(belief.secrets) == len(game.secrets) - 1  # only the guess itself is impossible
    assert information(belief)[1].sum() == pytest.approx(1.0)


def test_without_wrong_replies_it_is_exactly_the_noiseless_player() -> None:
    game = parse_game("p4c10n")
    belief = Posterior.start(Scorer(game), 0.0).update(0, 1).update(700, 6)
    left = belief.secrets
    assert np.ptp(belief.probabilities) == 0 and belief.effective == pytest.approx(len(left))
    best = best_guesses(belief, 5)
    assert [b.guess for b in best] == rank_guesses(game, left, "entropy").best(5)
    assert noise_bits(game, 0.0) == 0


def test_the_likeliest_the_entropy_and_the_effective_number() -> None:
    game = parse_game("p3c5n")
    belief = Posterior.start(Scorer(game), 0.1)
    assert belief.entropy == pytest.approx(log2(60)) and belief.effective == pytest.approx(60)
    after = belief.update(0, game.replies.index((2, 0)))
    secret, p = after.likeliest
    assert truth(game, secret, 0) == game.replies.index((2, 0)) and p == after.probabilities.max()
    assert after.entropy < belief.entropy
    won = after.update(0, game.win) if 0 in after.secrets else belief.update(0, game.win)
    assert won.likeliest == (0, 1.0) and won.entropy == 0 and won.effective == 1


@pytest.mark.parametrize("q", [-0.01, 1.5, float("nan")])
def test_an_invalid_probability_is_refused(q: float) -> None:
    with pytest.raises(UsageError, match="from 0 to 1"):
        Posterior.start(Scorer(parse_game("p2c3n")), q)


def test_certain_evidence_that_contradicts_is_refused() -> None:
    game = parse_game("p4c10n")
    belief = Posterior.start(Scorer(game), 0.0).update(0, 0)
    with pytest.raises(ImpossibleRepliesError, match="no secret of p4c10n can have given these replies"):
        belief.update(0, 1)
    noisy = Posterior.start(Scorer(game), 0.05).update(0, 0).update(0, 1)
    assert len(noisy.secrets) == 5039
    with pytest.raises(ImpossibleRepliesError):
        noisy.update(0, game.win)  # 0123 was not announced as the win, so it is not the secret


def test_long_games_do_not_underflow() -> None:
    game = parse_game("p3c5n")
    belief = Posterior.start(Scorer(game), 0.001)
    for _ in range(5000):
        belief = belief.update(7, 2)  # some secrets are now less likely by 10**-15000
    assert len(belief.secrets) == 59
    p = belief.probabilities
    assert np.isfinite(belief.weights).all() and p.sum() == pytest.approx(1) and p.min() == 0.0
    assert np.isfinite(belief.entropy) and best_guesses(belief)[0].bits > 0
    for _ in range(5000):
        belief = belief.update(7, 3)  # and now the others catch up
    assert len(np.flatnonzero(belief.probabilities > 1e-9)) > len(np.flatnonzero(p > 1e-9))


def test_with_all_replies_random_only_the_win_tells() -> None:
    game = parse_game("p2c4n")
    belief = Posterior.start(Scorer(game), 1.0)
    for guess in range(11):
        assert best_guesses(belief)[0].guess == guess  # one after the other, what was asked being ruled out
        belief = belief.update(guess, 1)
    assert belief.likeliest == (11, 1.0)


def test_posterior_probabilities_come_true_as_often_as_they_say() -> None:
    game = parse_game("p3c6n")
    scorer = Scorer(game, reply_matrix(game))
    results, seen = calibrate(Bayesian(scorer, 0.15), 400, seed=5, workers=2)
    assert results.lost == 0 and len(results.games) == 400
    off = (seen.true - seen.given) / np.sqrt(np.maximum(seen.spread, 1e-9))
    assert (np.abs(off[seen.count > 20]) < 4).all()
    wrong = calibrate(Bayesian(scorer, 0.15), 40, seed=5)[1]
    assert wrong.count.sum() < seen.count.sum()


def test_a_posterior_that_believes_too_much_is_found_out() -> None:
    """The reliability table can fail: a player that trusts a host which lies far more often than it thinks."""
    from bcsearch.hosts import LyingHost

    game = parse_game("p3c6n")
    scorer = Scorer(game, reply_matrix(game))
    seen, random = Reliability(), np.random.default_rng(3)
    for _ in range(150):
        secret = int(random.integers(len(game.secrets)))
        host, belief = LyingHost(scorer, secret, 0.5, random), Posterior.start(scorer, 0.02)
        for guess in (0, 40, 80, 100):
            reply = host.reply(guess)
            if reply == game.win:
                break
            belief = belief.update(guess, reply)
            seen.add(belief, secret)
    off = (seen.true - seen.given) / np.sqrt(np.maximum(seen.spread, 1e-9))
    assert np.abs(off).max() > 6


# at most k wrong replies


@pytest.mark.parametrize(("name", "fewest"), [("p2c3n", 3), ("p2c4n", 3), ("p2c5n", 4)])
def test_with_no_wrong_reply_the_fewest_guesses_are_the_published_ones(name: str, fewest: int) -> None:
    assert Doubt.start(Scorer(parse_game(name)), 0).fewest_guesses() == fewest  # ceil(n / 2) + 1, Chen and Lin 2004


def test_one_wrong_reply_against_trying_everything() -> None:
    game = parse_game("p2c3n")
    table = [[truth(game, s, g) for s in range(6)] for g in range(6)]

    def enough(state: tuple[int, ...], k: int) -> bool:
        """state[s]: replies that are wrong if s is the secret; 2 is too many."""
        if all(w > 1 for w in state):
            return True
        if k == 0:
            return False
        for row in table:
            after = [
                tuple(2 if t == game.win else w + (t != r) for w, t in zip(state, row, strict=True))
                for r in range(game.win)
            ]
            if all(enough(tuple(min(w, 2) for w in s), k - 1) for s in after):
                return True
        return False

    exact = next(k for k in range(1, 9) if enough((0,) * 6, k))
    assert Doubt.start(Scorer(game), 1).fewest_guesses() == exact
    assert exact > 3


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2), st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=6))
def test_what_can_be_with_at_most_k_wrong_replies(most: int, numbers: list[tuple[int, int]]) -> None:
    game = parse_game("p3c4n")
    rows = [(g % len(game.guesses), r % game.win) for g, r in numbers]
    wanted = {}
    for s in range(len(game.secrets)):
        wrong = sum(truth(game, s, g) != r for g, r in rows)
        if wrong <= most and all(truth(game, s, g) != game.win for g, _ in rows):
            wanted[s] = wrong
    doubt = Doubt.start(Scorer(game), most)
    try:
        for guess, reply in rows:
            doubt = doubt.update(guess, reply)
    except ImpossibleRepliesError:
        assert not wanted
        return
    assert dict(zip(doubt.secrets.tolist(), doubt.wrong.tolist(), strict=True)) == wanted
    assert sum(doubt.counts()) == len(wanted)


def test_the_greedy_guess_always_gets_there_in_spite_of_two_wrong_replies() -> None:
    game = parse_game("p3c6n")
    scorer = Scorer(game)
    random = np.random.default_rng(2)
    for secret in (3, 77):
        doubt, lies, guesses, reply = Doubt.start(scorer, 2), 2, 0, -1
        while reply != game.win:
            guess = doubt.best_guess()
            reply = scorer.one(guess, secret)
            if reply != game.win and lies and random.random() < 0.5:
                reply, lies = int(random.integers(game.win)), lies - 1
            doubt, guesses = doubt.update(guess, reply), guesses + 1
        assert doubt.secrets.tolist() == [secret] and guesses <= 12
    with pytest.raises(UsageError, match="0 or more"):
        Doubt.start(scorer, -1)


@pytest.mark.parametrize("most", [40, 300, 10**6, 10**30])
@pytest.mark.parametrize("name", ["p1c1r", "p1c4n", "p2c3r", "p4c10n"])
def test_any_number_of_wrong_replies_can_be_allowed(name: str, most: int) -> None:
    """So many may be wrong that all that is told is how many replies fit: the guess is that of the most left."""
    game = parse_game(name)
    doubt = Doubt.start(Scorer(game), most)
    fewer = Doubt.start(Scorer(game), 8)
    for guess in range(min(3, len(game.guesses) - 1)):
        doubt, fewer = doubt.update(guess, 0), fewer.update(guess, 0)
        assert doubt.counts() == fewer.counts()
        assert doubt.best_guess() == fewer.best_guess()


def test_with_any_number_of_wrong_replies_all_secrets_are_asked_one_by_one() -> None:
    for most in (9, 10, 10**9):
        doubt = Doubt.start(Scorer(parse_game("p2c3r")), most)
        assert doubt.fewest_guesses() == 9
    assert doubt.update(0, 0).fewest_guesses() == 8
