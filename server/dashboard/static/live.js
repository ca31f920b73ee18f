// Follow a run: its rows and figures are drawn anew by the server, and put in their places here.
"use strict";
(() => {
  const box = document.querySelector("[data-live]");
  if (!box || !window.EventSource) return;
  const told = document.getElementById("told");
  const figures = document.getElementById("figures");
  const state = document.getElementById("state");
  let ended = "";

  const row = (html) => {
    const made = document.createElement("template");
    made.innerHTML = "<table><tbody>" + html + "</tbody></table>";
    return made.content.querySelector("tr");
  };
  const say = (text) => { if (told.textContent !== text) told.textContent = text; };

  const source = new EventSource(box.dataset.live);
  source.addEventListener("change", (event) => {
    const change = JSON.parse(event.data);
    for (const each of change.rows) {
      const old = document.getElementById(each.id);
      const fresh = row(each.html);
      if (!old || !fresh) continue;
      const had = old.contains(document.activeElement);
      old.replaceWith(fresh);
      if (had) fresh.querySelector("a")?.focus({ preventScroll: true });
    }
    figures.innerHTML = change.figures;
    state.textContent = change.state;
    // Said once for each that ends, not with every turn.
    if (change.said !== ended) { ended = change.said; say(change.said + "."); }
  });
  source.addEventListener("over", (event) => {
    source.close();
    say(JSON.parse(event.data).said + " ");
    const again = document.createElement("a");
    again.href = location.pathname + location.search;
    again.textContent = "Load the page again to see all that it came to.";
    told.append(again);
    state.textContent = "finished";
    delete box.dataset.live;
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) say("This page no longer follows the run: load it again. Where many of your pages follow one, close some first.");
  });
  addEventListener("pagehide", () => source.close());
})();
