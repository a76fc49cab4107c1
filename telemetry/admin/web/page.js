// Shows the server-rendered page at once; live.js then keeps it up to date. Reports a module that fails to load.

function say(error) {
  const words = document.createElement("p");
  words.id = "headline";
  words.className = "degraded";
  words.textContent = `The page isn't live, because one of its scripts didn't load: ${error.message}. Reload the page.`;
  document.getElementById("headline")?.remove();
  document.querySelector("header").prepend(words);
}

import("./live.js").then(({start}) => start(), say);
