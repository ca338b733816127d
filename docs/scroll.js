// Tables that scroll can be reached by keyboard.
"use strict";
document$.subscribe(() => window.requestAnimationFrame(() => {
  for (const frame of document.querySelectorAll(".md-typeset__scrollwrap")) {
    if (frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
  }
}));
