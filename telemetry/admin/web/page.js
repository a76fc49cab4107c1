// The page: what the server wrote is there at once, and live.js makes it live. Its modules come one by one: one that
// doesn't is said to be missing.

function say(error) {
  const words = document.createElement("p");
  words.id = "headline";
  words.className = "degraded";
  words.textContent = `The page isn't live, because one of its scripts didn't load: ${error.message}. Reload the page.`;
  document.getElementById("headline")?.remove();
  document.querySelector("header").prepend(words);
}

import("./live.js").then(({start}) => start(), say);
