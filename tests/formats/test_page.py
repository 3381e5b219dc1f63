"""The explorer page in a real browser: a whole game clicked through, a secret searched, the chart, keys, a phone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from browser import Page, chromium
from random_trees import random_stored

import bcsearch
from bcsearch.formats import export_tree
from bcsearch.formats.page import page_data
from bcsearch.notation import format_code, format_reply
from bcsearch.scoring import score
from bcsearch.shipped import shipped_tree
from bcsearch.store import StoredTree, read_tree, write_tree

OPTIMAL = "p4c10n-optimal-average"

needs_browser = pytest.mark.skipif(
    chromium() is None, reason="no Chromium here: install it (`apt-get install chromium`, as .ci/run does)"
)


@pytest.fixture(scope="module")
def stored() -> StoredTree:
    return read_tree(shipped_tree(OPTIMAL))


@pytest.fixture(scope="module")
def address(stored: StoredTree, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "optimal.html"
    path.write_text(str(export_tree(stored, "html")))
    return f"file://{path}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Page]:
    program = chromium()
    assert program is not None
    with Page(program) as page:
        yield page


@pytest.fixture
def page(browser: Page, address: str) -> Iterator[Page]:
    browser.events.clear()
    browser.size(1280, 860)
    browser.open(address)
    yield browser
    assert browser.problems() == []  # no exception, no error, nothing asked of the network


def path_of(secret: str) -> list[tuple[str, str]]:
    """(guess, reply) until the win, by playing from the file."""
    node, path = bcsearch.open_tree(shipped_tree(OPTIMAL)).root, []
    while not node.won:
        bulls, cows = score(secret, node.guess)
        path.append((node.guess, f"{bulls}A{cows}B"))
        node = node.reply((bulls, cows))
    return path


def shown_guess(page: Page, view: str) -> str:
    return str(page.run(f"document.querySelector('#{view} .tiles').getAttribute('aria-label')"))


def steps(page: Page) -> list[list[str]]:
    found: list[list[str]] = page.run(
        "[...document.querySelectorAll('#steps li')].map(e => [...e.querySelectorAll('.code')].map(c => c.innerText))"
    )
    return found


def test_one_small_file_that_asks_for_nothing_else(stored: StoredTree) -> None:
    text = str(export_tree(stored, "html"))
    assert len(text.encode()) < 1_000_000
    assert not re.search(r"https?://|(src|href)=\"(?!data:)|@import|url\(", text)
    assert "default-src 'none'" in text


def test_names_and_claims_cannot_leave_their_place() -> None:
    odd = random_stored("p2c3r", 1)
    odd = replace(odd, claims=replace(odd.claims, strategy="</script><script>alert(1)</script>{{data}}"))
    text = str(export_tree(odd, "html"))
    assert text.count("</script>") == 2 and "<title>p2c3r · &lt;/script&gt;" in text


@pytest.mark.parametrize(
    ("objective", "claim"),
    [
        ({"objective": "average"}, "proven: no strategy has a smaller average"),
        ({"objective": "average", "max_depth": 5}, "proven: no strategy has a smaller average within 5 guesses"),
        ({"objective": "worst-case", "max_depth": 7}, "proven: no strategy needs fewer than 7 guesses at worst"),
        ({"objective": "win-within", "within": 6}, "proven: no strategy finds more secrets within 6 guesses"),
        ({"objective": "another"}, "proven: no strategy is better by its objective"),
    ],
)
def test_the_page_says_what_is_proven_and_no_more(objective: dict[str, object], claim: str) -> None:
    stored = random_stored("p2c3r", 1)
    for bound, wanted in (("exact", claim), ("upper", "an upper bound: a better tree may exist")):
        claims = replace(stored.claims, bound=bound, objective=objective)
        assert page_data(replace(stored, claims=claims))["claim"] == wanted


@needs_browser
@pytest.mark.parametrize("secret", ["0395", "9876", "0123", "1769"])
def test_a_whole_game_by_clicking_replies(page: Page, secret: str) -> None:
    for guess, reply in path_of(secret):
        page.wait(f"document.querySelector('#explore .tiles').getAttribute('aria-label') === '{guess}'")
        page.click(f"#explore .replies [data-reply='{reply}']")
    page.wait("document.querySelector('#explore .verdict')")
    count = len(path_of(secret))
    assert page.text("#explore .verdict") == f"{secret} is found with {count} guess{'' if count == 1 else 'es'}"
    assert steps(page) == [list(step) for step in path_of(secret)]


@needs_browser
def test_what_a_node_says(page: Page) -> None:
    facts = page.text("#node .facts").split("\n")
    assert facts == ["candidates left", "5,040", "more, on average", "5.21", "more, at worst", "7"]
    counts = page.run("[...document.querySelectorAll('.replies .count')].map(e => e.innerText)")
    assert counts == ["360", "1,440", "1,260", "264", "9", "480", "720", "216", "8", "180", "72", "6", "24", "1"]
    page.click(".replies [data-reply='2A2B']")
    page.click("#candidates summary")
    page.wait("document.querySelector('.chips')")
    assert page.text(".chips").split() == ["0132", "0213", "0321", "1023", "2103", "3120"]
    page.click("#steps button")
    page.wait("document.querySelectorAll('.replies li').length === 14")


@needs_browser
def test_searching_a_secret_shows_its_path(page: Page) -> None:
    for secret in ("1769", "5049", "4567", "0123"):
        page.click("#search")
        page.run("document.getElementById('search').select()")
        page.type(secret)
        page.press("Enter", 13)
        page.wait(f"(document.querySelector('.verdict') || {{}}).innerText?.startsWith('{secret} is found')")
        assert steps(page) == [list(step) for step in path_of(secret)]
    page.run("document.getElementById('search').value = ''")
    page.click("#search")
    page.type("0011")
    page.click("#find button")
    page.wait("document.getElementById('message').innerText.includes('0011 is no secret of p4c10n')")


@needs_browser
def test_the_keyboard_alone(page: Page) -> None:
    page.press("ArrowDown")
    page.press("ArrowDown")
    page.press("Enter", 13)
    page.wait("document.querySelectorAll('#steps li').length === 1 && document.activeElement.dataset.reply")
    assert steps(page) == [["0123", "0A1B"]]
    page.press("ArrowUp")
    page.press("Enter", 13)  # the last of the list: the win
    page.wait("document.querySelector('#explore .verdict')")
    page.press("Backspace")
    page.wait("!document.querySelector('#explore .verdict')")
    page.press("Home")
    page.wait("document.querySelectorAll('#steps li').length === 0")
    page.press("/")
    page.type("0395")
    page.press("Enter", 13)
    page.wait("document.querySelector('#explore .verdict')")
    for key, view in (("a", "assist"), ("p", "play"), ("c", "chart"), ("e", "explore")):
        page.press(key)
        page.wait(f"!document.getElementById('{view}').hidden")
        assert page.run("[...document.querySelectorAll('main section')].filter(e => !e.hidden).length") == 1
    page.run("history.back()")
    page.wait("!document.getElementById('chart').hidden")


@needs_browser
def test_assist_in_a_whole_game(page: Page) -> None:
    page.click("#tab-assist")
    page.click("#keypad [data-reply='1A1B']")
    page.click("#undo")
    for count, (guess, reply) in enumerate(path_of("0395")):
        page.wait(f"document.querySelector('#assist .tiles').getAttribute('aria-label') === '{guess}'")
        if count % 2:
            page.click(f"#keypad [data-reply='{reply}']")
        else:
            page.click("#reply")
            page.type(f"{reply[0]} {reply[2]}")
            page.press("Enter", 13)
    page.wait("document.getElementById('found')")
    assert page.text("#found") == "The secret is 0395, found with 5 guesses."
    page.click("#again")
    page.click("#keypad [data-reply='0A4B']")
    page.wait("document.querySelector('#keypad [data-reply=\"0A0B\"]').disabled")
    for typed, said in (("0A0B", "no secret gives all these replies"), ("3A1B", "is no reply of p4c10n")):
        page.run("document.getElementById('reply').value = ''")
        page.click("#reply")
        page.type(typed)
        page.press("Enter", 13)
        page.wait(f"document.getElementById('message').innerText.includes('{said}')")


@needs_browser
def test_playing_against_the_tree_with_its_own_guesses_is_a_draw(page: Page) -> None:
    page.click("#tab-play")
    player = bcsearch.open_tree(shipped_tree(OPTIMAL))
    node = player.root
    while not node.won:
        page.click("#guess")
        page.type(node.guess)
        page.press("Enter", 13)
        row = page.text("#rounds tbody tr:last-child").split()
        assert row[1] == node.guess
        node = node.reply((int(row[2][0]), int(row[2][2])))
        assert node.won or row[-1] == f"{node.candidates:,}"
    assert page.text("#verdict") == f"You needed {node.depth} guess{'es' * (node.depth > 1)}, the tree {node.depth}."
    assert "as many in 1" in page.text("#tally")
    page.click("#new-duel")
    page.type("0011")
    page.press("Enter", 13)
    page.wait("document.getElementById('message').innerText.includes('0011 is no code of p4c10n')")
    page.click("#give-up")
    page.wait("document.getElementById('verdict').innerText.startsWith('The secret was ')")


@needs_browser
def test_the_chart_is_the_distribution(page: Page, stored: StoredTree) -> None:
    page.click("#tab-chart")
    distribution = stored.tree.distribution()
    rows = page.run(
        "[...document.querySelectorAll('#distribution tbody tr')].map(r => [...r.cells].map(c => c.innerText))"
    )
    assert [int(row[1].replace(",", "")) for row in rows] == distribution
    assert rows[-1][3] == "100.00 %"
    heights = page.run("[...document.querySelectorAll('.pillar')].map(e => e.getBoundingClientRect().height)")
    for height, n in zip(heights, distribution, strict=True):
        assert height == pytest.approx(max(2, heights[4] * n / distribution[4]), abs=1)
    page.click(f".bars [data-k='{len(distribution)}']")
    page.wait("document.getElementById('picked')")
    assert len(page.text("#picked .chips").split()) == distribution[-1]
    page.click("#picked .chips button")
    page.wait("document.querySelector('#explore .verdict')")
    assert page.text("#explore .verdict").endswith(f"with {len(distribution)} guesses")


@needs_browser
def test_a_phone_needs_no_scrolling_sideways_and_has_buttons_for_thumbs(page: Page, address: str) -> None:
    page.size(390, 844, phone=True)
    for view in ("explore/1A1B", "assist", "play", "chart"):
        page.open(f"{address}#/{view}")
        page.wait(f"!document.getElementById('{view.split('/')[0]}').hidden")
        assert page.run("document.documentElement.scrollWidth") <= 390, view
        low = page.run(
            "[...document.querySelectorAll('main section:not([hidden]) button')]"
            ".map(e => e.getBoundingClientRect().height).filter(h => h && h < 33).length"
        )
        assert low == 0, view


@needs_browser
def test_it_loads_at_once_and_a_place_can_be_shared(page: Page, address: str) -> None:
    page.open(f"{address}#/explore/1A1B/2A0B")
    assert steps(page) == [["0123", "1A1B"], ["0245", "2A0B"]]
    for wrong, shown in (("1A1B/3A1B", 1), ("%E0%A4%A", 0), ("4A0B/0A0B", 1)):
        page.open(f"{address}#/explore/{wrong}")
        assert len(steps(page)) == shown
    assert page.run("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd") < 3000


@needs_browser
@pytest.mark.parametrize("name", ["p2c3r", "p2c12n", "p2c5n-nz", "p3c3r"])
def test_other_games_and_odd_trees(browser: Page, name: str, tmp_path: Path) -> None:
    odd = random_stored(name, 7)
    (tmp_path / "x.html").write_text(str(export_tree(odd, "html")))
    write_tree(tmp_path / "x.tree", odd.tree, odd.claims)
    browser.events.clear()
    browser.size(1280, 860)
    browser.open(f"file://{tmp_path / 'x.html'}")
    player = bcsearch.open_tree(tmp_path / "x.tree")
    secret = format_code(player.game, int(player.game.guess_of_secret[-1]))
    node = player.root
    while not node.won:
        reply = score(secret, node.guess)
        assert shown_guess(browser, "explore") == node.guess
        expected = [format_reply(player.game, r) for r, below in enumerate(odd.tree.child[node.row]) if below != -1]
        assert browser.run("[...document.querySelectorAll('.replies button')].map(b => b.dataset.reply)") == expected
        browser.click(f".replies [data-reply={json.dumps(f'{reply[0]}A{reply[1]}B')}]")
        node = node.reply(reply)
        browser.wait(f"document.querySelectorAll('#steps li').length === {node.depth}")
    assert browser.text("#explore .verdict").startswith(f"{secret} is found with {node.depth} guess")
    browser.click("#tab-chart")
    counts = browser.run("[...document.querySelectorAll('.bars .value')].map(e => Number(e.innerText))")
    assert counts == odd.tree.distribution()
    assert browser.problems() == []


@needs_browser
@pytest.mark.parametrize("kind", ["words", "p2c3r:red,green,blue", "p2c3n+p2c3r", "p2c3r:RGB"])
def test_word_games_and_symbols_of_ones_own_are_explored_and_played(browser: Page, kind: str, tmp_path: Path) -> None:
    from conftest import build

    from bcsearch.marks import mark

    name = kind
    if kind == "words":
        (tmp_path / "words").write_text("geese\neerie\nabbey\nkebab\nspeed\nerase\n")
        name = f"words:{tmp_path / 'words'}"
    made = build(name, "first", tmp_path / "x.tree")
    (tmp_path / "x.html").write_text(str(export_tree(made, "html")))
    browser.events.clear()
    browser.size(1280, 860)
    browser.open(f"file://{tmp_path / 'x.html'}")
    game = made.tree.game
    browser.click("#tab-play")
    seen = 0
    for guess in (format_code(game, g) for g in range(len(game.guesses))):
        browser.click("#guess")
        browser.type(guess)
        browser.press("Enter", 13)
        seen += 1
        hidden = browser.run("document.querySelector('#verdict') ? 1 : 0")
        if hidden:
            break
    assert browser.run("document.querySelectorAll('#rounds tbody tr').length") == seen
    assert browser.text("#rounds tbody tr:last-child td:nth-child(3)") == format_reply(game, game.win)
    found = browser.text("#rounds tbody tr:last-child td:nth-child(2)")
    for row in range(1, seen + 1):
        guess = browser.text(f"#rounds tbody tr:nth-child({row}) td:nth-child(2)")
        sides = [s.split(game.separator) if game.separator else list(s) for s in (found, guess)]
        truth = (mark if game.marks else score)(*sides)
        assert browser.text(f"#rounds tbody tr:nth-child({row}) td:nth-child(3)") == format_reply(
            game, game.replies.index(truth)
        )
    tiles = browser.run("document.querySelectorAll('#explore .tiles span').length")
    assert tiles % game.positions == 0
    assert browser.problems() == []
