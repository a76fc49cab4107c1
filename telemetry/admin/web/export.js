// The shapes of the current view as a file: CSV (RFC 4180) or JSON, made by the browser.

import {chosen} from "./choose.js";
import {make} from "./elements.js";
import {csvOf, fileTime, jsonOf} from "./export_text.js";

function save(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], {type}));
  make("a", {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

const formats = {
  CSV: view => save(`scattergate-shapes-${fileTime()}.csv`, "text/csv;charset=utf-8", csvOf(chosen(view).rows)),
  JSON: view => save(`scattergate-shapes-${fileTime()}.json`, "application/json", jsonOf(chosen(view).rows, view)),
};

export function exportButtons(view) {
  return Object.entries(formats).map(([name, run]) => {
    const button = make("button", {type: "button"}, "Export " + name);
    button.addEventListener("click", () => run(view));
    return button;
  });
}
