// A trajectory's page: where its numbers come from, and a way through its turns by keyboard.
"use strict";
(() => {
  const box = document.getElementById("trajectory");
  if (!box) return;
  const bar = document.getElementById("source");
  let asked = null;

  const sources = () => {
    asked ??= fetch(location.pathname + box.dataset.sources, { headers: { Accept: "application/json" } })
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
      .catch((fault) => { asked = null; throw fault; });
    return asked;
  };

  const clear = () => {
    document.querySelectorAll(".lit-number").forEach((el) => el.classList.remove("lit-number"));
    document.querySelectorAll("mark.found").forEach((el) => { const up = el.parentNode; el.replaceWith(...el.childNodes); up.normalize(); });
    bar.hidden = true;
    bar.replaceChildren();
  };

  // The cell of a table, or the figure as a text spells it; the call itself where neither is shown.
  const light = (turn, place) => {
    const call = turn.querySelectorAll(".call")[place.call - 1];
    if (!call) return null;
    call.open = true;
    if (place.table !== null) {
      const table = call.querySelectorAll("table.result")[place.table];
      const isUpright = table && !table.tHead;
      const row = table?.tBodies[0]?.rows[isUpright ? place.column : place.row];
      const cell = row?.cells[isUpright ? 1 : place.column];
      if (cell) { cell.classList.add("lit-number"); return cell; }
    } else if (place.literal !== null) {
      const texts = document.createTreeWalker(call, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        if (!node.parentElement.closest(".output, .fact b")) continue;
        const at = node.data.indexOf(place.literal);
        if (at < 0) continue;
        const found = document.createElement("mark");
        found.className = "found lit-number";
        const rest = node.splitText(at);
        rest.splitText(place.literal.length);
        rest.replaceWith(found);
        found.append(rest);
        return found;
      }
    }
    const summary = call.querySelector("summary");
    summary.classList.add("lit-number");
    return summary;
  };

  const tell = (number, source) => {
    clear();
    number.classList.add("lit-number");
    const said = document.createElement("p");
    const figure = document.createElement("b");
    figure.textContent = number.textContent;
    said.append(figure, ": " + source.said);
    const back = document.createElement("button");
    back.type = "button";
    back.textContent = "Back to the number";
    back.addEventListener("click", () => { number.scrollIntoView({ block: "center" }); number.focus(); });
    const turn = source.turn === null ? null : document.getElementById(source.href.slice(1));
    bar.append(said);
    if (source.turn !== null && !turn) {
      const link = document.createElement("a");
      link.href = elsewhere(source.turn) + source.href;
      link.textContent = "to turn " + source.turn;
      bar.append(link);
    }
    if (turn) {
      const lit = source.places.map((place) => light(turn, place)).filter(Boolean);
      // A turn's own query, or a sum of what it showed: the turn as a whole.
      if (!lit.length) turn.querySelectorAll(".call").forEach((call) => { call.open = true; });
      (lit[0] ?? turn).scrollIntoView({ block: "center" });
      bar.append(back);
    }
    bar.hidden = false;
  };

  const ask = async (number) => {
    if (!box.dataset.sources) return;
    try {
      const source = (await sources())[number.getAttribute("href").slice(1)];
      if (source) tell(number, source);
    } catch {
      clear();
      bar.textContent = "The server did not answer where this number comes from: try again.";
      bar.hidden = false;
    }
  };

  const elsewhere = (turn) => {
    const query = new URLSearchParams(location.search);
    query.set("first", String(turn));
    return location.pathname + "?" + query;
  };

  const numberOf = (hash) => {
    const place = document.getElementById(decodeURIComponent(hash.slice(1)));
    return place?.classList.contains("claim") ? place : null;
  };

  const arrive = () => {
    const number = numberOf(location.hash);
    if (number) { ask(number); return; }
    // A turn of a long trajectory that stands on another page of it.
    const [, turn] = /^#turn-(\d+)/.exec(location.hash) ?? [];
    if (turn && !document.getElementById("turn-" + turn) && Number(turn) <= Number(box.dataset.turns) && Number(turn) !== Number(box.dataset.first)) {
      location.assign(elsewhere(turn) + location.hash);
    }
  };

  document.addEventListener("click", (event) => {
    const number = event.target.closest("a.claim");
    if (number && number.getAttribute("href") === location.hash) ask(number); // the second time nothing changes
  });
  addEventListener("hashchange", arrive);

  const turns = () => [...box.querySelectorAll("article.turn, article.handed")];
  let at = -1;
  const go = (by) => {
    const all = turns();
    const here = all.findIndex((el) => el.id === decodeURIComponent(location.hash.slice(1)).split("/")[0]);
    at = Math.min(Math.max((here >= 0 ? here : at) + by, 0), all.length - 1);
    const turn = all[at];
    if (!turn) return;
    turn.tabIndex = -1;
    turn.focus({ preventScroll: true });
    location.hash = turn.id;
    turn.scrollIntoView({ block: "start" });
  };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
    if (event.key === "j") go(1);
    else if (event.key === "k") go(-1);
    else if (event.key === "Escape") clear();
    else return;
    event.preventDefault();
  });

  if (location.hash) arrive();
})();
