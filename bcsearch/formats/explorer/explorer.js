"use strict";
(() => {
  // ---- the tree: rows as in the file; the children of a row are the next rows that are not yet anyone's ----
  const data = JSON.parse(document.getElementById("data").textContent);
  const codes = data.codes.split(" ");
  const secrets = data.secrets ? data.secrets.map((g) => codes[g]) : codes;
  const codeOf = new Map(codes.map((code) => [code.toLowerCase(), code]));
  const typedCode = (text) => codeOf.get(text.trim().normalize("NFKC").toLowerCase());
  const win = data.replies.length - 1;
  const count = data.guess.length;
  const parent = new Int32Array(count).fill(-1);
  const via = new Int16Array(count).fill(-1);
  const depth = new Uint8Array(count);
  const branches = data.branches.split(" ").map(bits);
  const children = branches.map(() => new Map());
  let free = 1;
  branches.forEach((replies, row) => {
    for (const reply of replies) {
      if (reply === win) continue;
      children[row].set(reply, free);
      parent[free] = row;
      via[free] = reply;
      depth[free] = depth[row] + 1;
      free += 1;
    }
  });
  const wins = branches.map((replies) => replies.includes(win));
  const size = new Int32Array(count);
  const total = new Float64Array(count);
  const worst = new Int32Array(count);
  for (let row = count - 1; row >= 0; row -= 1) {
    if (wins[row]) { size[row] += 1; worst[row] = Math.max(worst[row], 1); }
    total[row] += size[row];
    if (row) {
      const above = parent[row];
      size[above] += size[row];
      total[above] += total[row];
      worst[above] = Math.max(worst[above], worst[row] + 1);
    }
  }
  const foundAt = new Map(); // secret -> row whose guess it is
  wins.forEach((won, row) => { if (won) foundAt.set(guessOf(row), row); });
  const distribution = [];
  wins.forEach((won, row) => { if (won) distribution[depth[row]] = (distribution[depth[row]] || 0) + 1; });
  for (let k = 0; k < distribution.length; k += 1) distribution[k] = distribution[k] || 0;

  /** Numbers of the bits that are set in a hexadecimal number, ascending. */
  function bits(hex) {
    const found = [];
    for (let i = 0; i < hex.length; i += 1) {
      const digit = parseInt(hex[hex.length - 1 - i], 16);
      for (let b = 0; b < 4; b += 1) if (digit >> b & 1) found.push(4 * i + b);
    }
    return found;
  }
  function guessOf(row) { return codes[data.guess[row]]; }
  function number(n) { return n.toLocaleString("en-US"); }
  function guesses(n) { return `${n} guess${n === 1 ? "" : "es"}`; }

  /** Rows from the root to a row. */
  function pathTo(row) {
    const rows = [];
    for (let at = row; at >= 0; at = parent[at]) rows.push(at);
    return rows.reverse();
  }
  /** Secrets at or below a row, in code order. */
  function candidates(row) {
    const found = [];
    const open = [row];
    while (open.length) {
      const at = open.pop();
      if (wins[at]) found.push(guessOf(at));
      open.push(...children[at].values());
    }
    return found.sort();
  }
  const symbolsOf = (code) => data.separator ? code.split(data.separator) : [...code];
  /** Marks of a word: 2 here, 1 elsewhere, 0 neither; greens first, then from left to right what letters are left over. */
  function marks(secret, guess) {
    const left = new Map();
    secret.forEach((s, i) => { if (s !== guess[i]) left.set(s, (left.get(s) || 0) + 1); });
    return guess.map((g, i) => {
      if (secret[i] === g) return 2;
      if (!left.get(g)) return 0;
      left.set(g, left.get(g) - 1);
      return 1;
    });
  }
  /** Bulls first, cows are what is left of the common symbols: [bulls, cows]. */
  function score(secret, guess) {
    const left = new Map();
    let bulls = 0;
    let common = 0;
    for (const s of secret) left.set(s, (left.get(s) || 0) + 1);
    guess.forEach((g, i) => {
      if (secret[i] === g) bulls += 1;
      if (left.get(g)) { common += 1; left.set(g, left.get(g) - 1); }
    });
    return [bulls, common - bulls];
  }
  const pairs = !data.marks;
  const replyIndex = new Map(data.counts.map((reply, i) => [reply.join(), i]));
  function replyTo(secret, guess) {
    return replyIndex.get((pairs ? score : marks)(symbolsOf(secret), symbolsOf(guess)).join());
  }
  function spoken(reply) {
    return pairs ? `${data.counts[reply][0]} in place, ${data.counts[reply][1]} misplaced` : data.replies[reply];
  }
  function pegs(reply) {
    return pairs ? "●".repeat(data.counts[reply][0]) + "○".repeat(data.counts[reply][1]) : "";
  }

  // ---- making elements ----
  function make(tag, attributes = {}, ...inside) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...inside.filter((part) => part !== null));
    return element;
  }
  const get = (id) => document.getElementById(id);
  function tiles(code, won) { return make("div", { class: `tiles${won ? " won" : ""}`, "aria-label": code }, ...symbolsOf(code).map((s) => make("span", { "aria-hidden": "true" }, s))); }
  function facts(pairsOfText) {
    return make("dl", { class: "facts" }, ...pairsOfText.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  }
  function chips(list, pick) {
    return make("div", { class: "chips" }, ...list.map((code) => make("button", { type: "button", onclick: () => pick(code) }, code)));
  }
  function say(text) { get("message").textContent = text; }

  // ---- views ----
  const VIEWS = ["explore", "assist", "play", "chart"];
  let view = "explore";
  function show(name) {
    view = name;
    for (const each of VIEWS) {
      get(each).hidden = each !== name;
      get(`tab-${each}`).setAttribute("aria-selected", String(each === name));
      get(`tab-${each}`).tabIndex = each === name ? 0 : -1;
    }
    say("");
  }

  // ---- explore: where we are is in the address, so that Back goes back and a place can be shared ----
  let here = { row: 0, won: false };
  function address(row, won) {
    const names = pathTo(row).slice(1).map((at) => data.replies[via[at]]);
    if (won) names.push(data.replies[win]);
    return `#/explore/${names.join("/")}`;
  }
  function go(row, won = false) {
    visit(address(row, won));
  }
  let drawn = null; // the address that is shown: its own hashchange, which comes later, must not draw it again
  function visit(hash) {
    if (location.hash !== hash) location.hash = hash;
    readAddress();
  }
  function decoded(text) {
    try { return decodeURIComponent(text); } catch { return text; } // an address that someone mistyped
  }
  function readAddress() {
    drawn = location.hash;
    const [name, ...texts] = drawn.replace(/^#\/?/, "").split("/").filter(Boolean).map(decoded);
    if (VIEWS.includes(name) && name !== "explore") { show(name); return; }
    let row = 0;
    let won = false;
    for (const text of texts) {
      const reply = data.replies.indexOf(text);
      if (reply === win && wins[row]) won = true;
      else if (!won && children[row].has(reply)) row = children[row].get(reply);
      else break;
    }
    here = { row, won };
    show("explore");
    drawExplore();
  }
  function back() {
    if (here.won) go(here.row);
    else if (here.row) go(parent[here.row]);
  }
  function findSecret(text) {
    const code = typedCode(text);
    if (!foundAt.has(code)) {
      say(`${text.trim() || "nothing"} is no secret of ${data.game}: ${number(secrets.length)} secrets, like ${secrets[0]} or ${secrets[secrets.length - 1]}`);
      return false;
    }
    go(foundAt.get(code), true);
    return true;
  }
  function drawExplore() {
    const { row, won } = here;
    const path = pathTo(row);
    const steps = path.slice(0, won ? undefined : -1).map((at, i) => {
      const reply = i + 1 < path.length ? via[path[i + 1]] : win;
      return make("li", {}, make("button", { type: "button", title: "back to this guess", onclick: () => go(at) },
        make("span", { class: "n" }, String(i + 1)), make("span", { class: "code" }, guessOf(at)), make("span", { class: "code" }, data.replies[reply]),
        make("span", { class: "pegs" }, pegs(reply)), make("span", { class: "left" }, reply === win ? "found" : `${number(size[path[i + 1]])} left`)));
    });
    const k = depth[row] + 1;
    const moves = make("div", { class: "row" },
      make("button", { type: "button", id: "back", disabled: !row && !won, onclick: back }, "← Back"),
      make("button", { type: "button", id: "first", disabled: !row && !won, onclick: () => go(0) }, "First guess"));
    const node = won
      ? make("div", { class: "card node", id: "node" }, make("h2", {}, "Found"), tiles(guessOf(row), true),
          make("p", { class: "verdict good" }, `${guessOf(row)} is found with ${guesses(k)}`), moves)
      : make("div", { class: "card node", id: "node" }, make("h2", {}, `Guess ${k}`), tiles(guessOf(row)),
          facts([["candidates left", number(size[row])], ["more, on average", (total[row] / size[row]).toFixed(2)], ["more, at worst", String(worst[row])]]),
          make("p", { class: "soft" }, wins[row] ? "It can be the secret." : "It cannot be the secret: it is asked for what its reply tells."), moves);
    const trail = make("div", { class: `card ${won ? "replies-card" : "trail"}` }, make("h2", {}, won ? "The path" : "So far"),
      steps.length ? make("ol", { class: "steps", id: "steps" }, ...steps) : make("p", { class: "soft" }, "Nothing asked yet. Choose the reply to the first guess, or find a secret."));
    const all = make("details", { id: "candidates" }, make("summary", {}, `Show the ${number(size[row])} candidate${size[row] === 1 ? "" : "s"}`));
    all.addEventListener("toggle", () => { if (all.open && !all.querySelector(".chips")) all.append(chips(candidates(row), findSecret)); });
    const right = won ? null : make("div", { class: "card replies-card" }, make("h2", {}, `The reply to ${guessOf(row)}?`),
      make("p", { class: "legend" }, make("span", {}, pairs ? "● right place  ○ wrong place" : ""), make("span", {}, "left, next guess", make("small", {}, ", still to come"))),
      replyList(row), all);
    get("explore").replaceChildren(make("div", { class: "columns place" }, node, right || "", trail));
  }
  function replyList(row) {
    const items = branches[row].map((reply) => {
      const below = children[row].get(reply);
      const n = reply === win ? 1 : size[below];
      const next = reply === win ? "found" : guessOf(below);
      const more = reply === win ? null : make("small", {}, n === 1 && worst[below] === 1 ? "  the last one" : `  ${(total[below] / n).toFixed(2)}, at worst ${worst[below]}`);
      return make("li", { class: reply === win ? "win" : null },
        make("button", { type: "button", "data-reply": data.replies[reply], "aria-label": `${spoken(reply)}: ${n} candidates, next ${next}`,
          onclick: (event) => { if (reply === win) go(row, true); else go(below); if (!event.detail) focusReply(); } },
          make("span", { class: "bar", style: `width:${100 * n / size[row]}%` }), make("span", { class: "code" }, data.replies[reply]),
          make("span", { class: "pegs" }, pegs(reply)), make("span", { class: "count" }, number(n)),
          make("span", { class: "next" }, make("span", { class: "code" }, next), more)));
    });
    return make("ul", { class: "replies" }, ...items);
  }
  /** After a step with the keyboard, go on with the keyboard: on the first reply. */
  function focusReply() {
    const first = document.querySelector("#explore .replies button") || get("back");
    if (first) first.focus({ preventScroll: true });
  }

  // ---- assist: your own game, the tree says what to ask ----
  let game = { row: 0, won: false };
  function drawAssist() {
    const { row, won } = game;
    const path = pathTo(row);
    const rounds = path.slice(0, won ? undefined : -1).map((at, i) => {
      const reply = i + 1 < path.length ? via[path[i + 1]] : win;
      return make("li", {}, make("span", { class: "line" }, make("span", { class: "n" }, String(i + 1)), make("span", { class: "code" }, guessOf(at)),
        make("span", { class: "code" }, data.replies[reply]), make("span", { class: "pegs" }, pegs(reply))));
    });
    const undo = make("button", { type: "button", id: "undo", disabled: !row && !won, onclick: takeBack }, "↶ Take back");
    const again = make("button", { type: "button", id: "again", class: won ? "main" : null, onclick: () => { game = { row: 0, won: false }; say(""); drawAssist(); } }, "New game");
    const ask = won
      ? make("div", { class: "card" }, make("h2", {}, "Found"), tiles(guessOf(row), true), make("p", { class: "verdict good", id: "found" }, `The secret is ${guessOf(row)}, found with ${guesses(depth[row] + 1)}.`))
      : make("div", { class: "card" }, make("h2", {}, `Ask this (guess ${depth[row] + 1})`), tiles(guessOf(row)),
          make("p", { class: "soft" }, `${number(size[row])} candidate${size[row] === 1 ? "" : "s"} left; at most ${worst[row]} more, ${(total[row] / size[row]).toFixed(2)} on average`),
          make("h2", { style: "margin-top:.8rem" }, "Which reply did you get?"), keypad(row),
          make("form", { class: "field", style: "margin-top:.7rem", onsubmit: typedReply },
            make("input", { id: "reply", placeholder: pairs ? "or type 1A2B" : "or type it", "aria-label": "reply", autocomplete: "off", spellcheck: "false" }), make("button", {}, "Enter")),
          make("p", { class: "soft", style: "margin-top:.6rem" }, "A reply in grey cannot be: no secret gives it after the replies so far. If yours is grey, take back and check."));
    get("assist").replaceChildren(make("div", { class: "columns" }, ask, make("div", { class: "stack" },
      make("div", { class: "card" }, make("h2", {}, "Your game"),
        rounds.length ? make("ol", { class: "steps" }, ...rounds) : make("p", { class: "soft" }, "Ask the guess shown in the game that you are in, and tap the reply."),
        make("div", { class: "row" }, undo, again)))));
  }
  function takeBack() {
    if (game.won) game.won = false;
    else if (game.row) game.row = parent[game.row];
    say("");
    drawAssist();
  }
  function answer(reply) {
    if (reply === win && wins[game.row]) game.won = true;
    else if (children[game.row].has(reply)) game.row = children[game.row].get(reply);
    else { say(`${data.replies[reply]} to ${guessOf(game.row)}: no secret gives all these replies; one of them is wrong`); return; }
    say("");
    drawAssist();
  }
  function typedReply(event) {
    event.preventDefault();
    const text = get("reply").value.normalize("NFKC").trim().toUpperCase();
    const match = text.match(/^(\d+)\s*A\s*(\d+)\s*B$/) || text.match(/^(\d+)[ ,]+(\d+)$/) || text.match(/^(\d)(\d)$/);
    const plain = pairs ? text : text.replace(/[X._B0]/g, "-").replace(/1/g, "Y").replace(/2/g, "G");
    const reply = pairs && match ? data.counts.findIndex(([b, c]) => b === Number(match[1]) && c === Number(match[2])) : data.replies.findIndex((r) => r.toUpperCase() === plain);
    if (reply < 0) { say(`${text || "nothing"} is no reply of ${data.game}; ${pairs ? "written 1A2B or 1 2: 1 in place, 2 misplaced" : data.replies[0]}`); return; }
    answer(reply);
    if (get("reply")) get("reply").focus();
  }
  function keypad(row) {
    const key = (reply) => make("button", { type: "button", "data-reply": data.replies[reply], disabled: !branches[row].includes(reply), "aria-label": spoken(reply), onclick: () => answer(reply) },
      make("span", { class: "code" }, data.replies[reply]), make("small", {}, pegs(reply) || (pairs ? "none" : "")));
    if (!pairs) return make("div", { class: "keypad flow", id: "keypad" }, ...data.replies.map((_, reply) => key(reply)));
    const columns = Math.max(...data.counts.map((c) => c[1])) + 1;
    const place = (reply) => `grid-row:${data.counts[reply][0] + 1};grid-column:${data.counts[reply][1] + 1}`;
    return make("div", { class: "keypad", id: "keypad", style: `grid-template-columns:repeat(${columns},minmax(0,1fr))` },
      ...data.replies.map((_, reply) => { const made = key(reply); made.setAttribute("style", place(reply)); return made; }));
  }

  // ---- play: the page holds a secret; the tree plays it too ----
  const tally = { games: 0, won: 0, drawn: 0, lost: 0 };
  let duel = null;
  function newDuel() { duel = { secret: secrets[Math.floor(Math.random() * secrets.length)], rounds: [], left: secrets, over: false, gaveUp: false }; }
  function guessNow(event) {
    event.preventDefault();
    const code = typedCode(get("guess").value);
    if (!code) { say(`${get("guess").value.trim() || "nothing"} is no code of ${data.game}, like ${secrets[0]} or ${secrets[secrets.length - 1]}`); return; }
    const reply = replyTo(duel.secret, code);
    duel.left = duel.left.filter((secret) => replyTo(secret, code) === reply);
    duel.rounds.push({ code, reply, left: duel.left.length });
    if (reply === win) finish(false);
    say("");
    drawPlay();
    if (get("guess")) get("guess").focus();
  }
  function finish(gaveUp) {
    const mine = depth[foundAt.get(duel.secret)] + 1;
    duel.over = true;
    duel.gaveUp = gaveUp;
    tally.games += 1;
    if (gaveUp || duel.rounds.length > mine) tally.lost += 1;
    else if (duel.rounds.length === mine) tally.drawn += 1;
    else tally.won += 1;
  }
  function drawPlay() {
    const rows = duel.rounds.map((round, i) => make("tr", {}, make("td", {}, String(i + 1)), make("td", { class: "code" }, round.code), make("td", { class: "code" }, data.replies[round.reply]),
      make("td", { class: "pegs" }, pegs(round.reply)), make("td", { class: "num" }, number(round.left))));
    const table = make("table", { id: "rounds" }, make("thead", {}, make("tr", {}, ...[["#", ""], ["guess", ""], ["reply", ""], ["", ""], ["left", "num"]].map(([t, c]) => make("th", { class: c || null }, t)))), make("tbody", {}, ...rows));
    const board = make("p", { class: "soft", id: "tally" }, tally.games ? `${tally.games} played: you needed fewer guesses than the tree in ${tally.won}, as many in ${tally.drawn}, more in ${tally.lost}` : "The tree finds the same secret, and its path is shown at the end.");
    const ask = make("form", { class: "field", style: "margin:.6rem 0", onsubmit: guessNow },
      make("input", { id: "guess", "aria-label": "your guess", placeholder: `like ${secrets[0]}`, autocomplete: "off", autocapitalize: "none", spellcheck: "false", inputmode: /^[0-9 ]+$/.test(data.codes) ? "numeric" : null }),
      make("button", { class: "main" }, "Guess"), make("button", { type: "button", id: "give-up", onclick: () => { finish(true); say(""); drawPlay(); } }, "Give up"));
    const mine = make("div", { class: "card" }, make("h2", {}, duel.over ? "Your guesses" : `A secret out of ${number(secrets.length)} is chosen. Find it.`), duel.over ? null : ask, rows.length ? table : null, board);
    let other = null;
    if (duel.over) {
      const path = pathTo(foundAt.get(duel.secret));
      const text = duel.gaveUp ? `The secret was ${duel.secret}. The tree needs ${guesses(path.length)}.` : `You needed ${guesses(duel.rounds.length)}, the tree ${path.length}.`;
      other = make("div", { class: "card" }, make("p", { class: "verdict", id: "verdict" }, text), make("h2", { style: "margin-top:.6rem" }, "The tree's guesses"),
        make("ol", { class: "steps" }, ...path.map((at, i) => {
          const reply = i + 1 < path.length ? via[path[i + 1]] : win;
          return make("li", {}, make("span", { class: "line" }, make("span", { class: "n" }, String(i + 1)), make("span", { class: "code" }, guessOf(at)), make("span", { class: "code" }, data.replies[reply]), make("span", { class: "left" }, `${number(reply === win ? 1 : size[path[i + 1]])} left`)));
        })),
        make("div", { class: "row" }, make("button", { type: "button", class: "main", id: "new-duel", onclick: () => { newDuel(); drawPlay(); get("guess").focus(); } }, "New secret"),
          make("button", { type: "button", onclick: () => findSecret(duel.secret) }, "Explore this path")));
    }
    get("play").replaceChildren(make("div", { class: "columns" }, mine, other || ""));
  }

  // ---- chart ----
  let picked = null;
  function drawChart() {
    const highest = Math.max(...distribution);
    const bars = distribution.map((n, i) => make("button", { type: "button", "data-k": String(i + 1), "aria-pressed": String(picked === i), "aria-label": `${number(n)} secrets need ${guesses(i + 1)}`,
      onclick: () => { picked = picked === i ? null : i; drawChart(); const bar = document.querySelector(`.bars [data-k="${i + 1}"]`); bar.focus({ preventScroll: true }); } },
      make("span", { class: "value" }, number(n)), make("span", { class: "pillar", style: `height:${78 * n / highest}%` }), make("span", { class: "k" }, String(i + 1))));
    let within = 0;
    const rows = distribution.map((n, i) => {
      within += n;
      return make("tr", {}, make("td", {}, guesses(i + 1)), make("td", { class: "num" }, number(n)), make("td", { class: "num" }, `${(100 * n / secrets.length).toFixed(2)} %`), make("td", { class: "num" }, `${(100 * within / secrets.length).toFixed(2)} %`));
    });
    const list = picked === null ? null : make("div", { class: "card", id: "picked" }, make("h2", {}, `${number(distribution[picked])} secret${distribution[picked] === 1 ? "" : "s"} need${distribution[picked] === 1 ? "s" : ""} ${guesses(picked + 1)}`),
      chips([...foundAt].filter(([, row]) => depth[row] === picked).map(([code]) => code).sort(), findSecret));
    get("chart").replaceChildren(make("div", { class: "columns" },
      make("div", { class: "stack figures" }, make("div", { class: "card" }, make("h2", {}, "In all"), facts([["average", (total[0] / size[0]).toFixed(4)], ["at worst", String(worst[0])], ["total", number(total[0])]]),
        make("table", { id: "distribution", style: "margin-top:.8rem" }, make("thead", {}, make("tr", {}, make("th", {}, "needs"), make("th", { class: "num" }, "secrets"), make("th", { class: "num" }, "share"), make("th", { class: "num" }, "within"))), make("tbody", {}, ...rows)))),
      make("div", { class: "stack" }, make("div", { class: "card" }, make("h2", {}, "How many secrets need k guesses"), make("p", { class: "soft" }, "Click a bar for its secrets."), make("div", { class: "bars" }, ...bars)), list || "")));
  }

  // ---- keys ----
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing) { if (event.key === "Escape") event.target.blur(); return; }
    const tab = { e: "explore", a: "assist", p: "play", c: "chart" }[event.key.toLowerCase()];
    if (event.key === "/") { get("search").focus(); get("search").select(); }
    else if (tab) { open(tab); }
    else if (event.target.getAttribute && event.target.getAttribute("role") === "tab" && ["ArrowLeft", "ArrowRight"].includes(event.key)) {
      const next = VIEWS[(VIEWS.indexOf(view) + (event.key === "ArrowRight" ? 1 : VIEWS.length - 1)) % VIEWS.length];
      open(next);
      get(`tab-${next}`).focus();
    } else if (view === "explore" && ["ArrowDown", "ArrowUp"].includes(event.key)) {
      const buttons = [...document.querySelectorAll("#explore .replies button")];
      if (!buttons.length) return;
      const at = buttons.indexOf(document.activeElement);
      buttons[at < 0 ? 0 : (at + (event.key === "ArrowDown" ? 1 : buttons.length - 1)) % buttons.length].focus();
    } else if (view === "explore" && event.key === "Backspace") { back(); focusReply(); }
    else if (view === "explore" && event.key === "Home") { go(0); focusReply(); }
    else if (view === "assist" && event.key === "Backspace") takeBack();
    else return;
    event.preventDefault();
  });

  // ---- start ----
  function open(name) {
    if (name === "explore") go(here.row, here.won);
    else visit(`#/${name}`);
  }
  for (const name of VIEWS) get(`tab-${name}`).addEventListener("click", () => open(name));
  get("find").addEventListener("submit", (event) => { event.preventDefault(); if (findSecret(get("search").value)) get("search").blur(); });
  window.addEventListener("hashchange", () => { if (location.hash !== drawn) readAddress(); });
  get("name").textContent = data.title;
  get("claim").textContent = `${data.game}: ${number(secrets.length)} secrets, ${(total[0] / size[0]).toFixed(4)} guesses on average, ${worst[0]} at worst; ` +
    data.claim;
  get("source").textContent = `${data.tool} · tree ${data.sha256}`;
  get("search").placeholder = `like ${secrets[Math.floor(secrets.length / 3)]}`;
  newDuel();
  drawAssist();
  drawPlay();
  drawChart();
  drawExplore();
  readAddress();
})();
