/* Add a copy button to each code block. Without a clipboard (pages from http), code blocks have no button. */
"use strict";

const SHOWN_MS = 2000; // time for which a button shows its result

function addCopyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy code");
  button.addEventListener("click", async () => {
    const text = block.querySelector("pre").textContent.trimEnd();
    const result = await navigator.clipboard.writeText(text).then(
      () => "Copied",
      () => "Not copied",
    );
    button.textContent = result;
    copyStatus.textContent = result;
    setTimeout(() => {
      button.textContent = "Copy";
      copyStatus.textContent = "";
    }, SHOWN_MS);
  });
  block.append(button);
}

const copyStatus = document.createElement("div"); // screen readers read changes of this text aloud
copyStatus.className = "copy-status";
copyStatus.setAttribute("role", "status");
document.body.append(copyStatus);

if (navigator.clipboard) {
  document.querySelectorAll("div.highlight").forEach(addCopyButton);
}
