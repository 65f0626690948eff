/* Play films with the attribute data-autoplay, unless the reader prefers reduced motion. */
"use strict";

const reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");

for (const film of document.querySelectorAll("video[data-autoplay]")) {
  const playOrPause = () => {
    if (reducedMotion.matches) {
      film.pause();
    } else {
      film.play().catch(() => {}); // The browser can forbid playing. The reader can then start the film.
    }
  };
  reducedMotion.addEventListener("change", playOrPause);
  playOrPause();
}
