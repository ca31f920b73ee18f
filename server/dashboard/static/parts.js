// Fill each [data-load] with the part of a page that its address answers.
"use strict";
(() => {
  const fill = async (place) => {
    place.setAttribute("aria-busy", "true");
    place.firstElementChild.textContent = "Running …";
    try {
      const answer = await fetch(place.dataset.load, { headers: { Accept: "text/html" } });
      const text = await answer.text();
      if (!answer.ok) throw new Error(new DOMParser().parseFromString(text, "text/html").querySelector(".lead")?.textContent);
      // Our own server's page, escaped there; the policy lets no script in it run.
      place.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
    } catch (error) {
      place.firstElementChild.textContent = error.message || "This could not be had.";
    }
    place.removeAttribute("aria-busy");
  };
  document.querySelectorAll("[data-load]").forEach(fill);
})();
