// As page.js, and then it asks another address in every way that a script has. The address stands in its own.
import './page.js';

const elsewhere = new URL(location.href).searchParams.get('elsewhere');
const { outcome } = globalThis;
delete globalThis.outcome;

const nothing = () => undefined;
await fetch(`${elsewhere}/fetch`).catch(nothing);
await import(/* @vite-ignore */ `${elsewhere}/import.js`).catch(nothing);
const request = new XMLHttpRequest();
request.open('GET', `${elsewhere}/xhr`);
request.onerror = nothing;
request.send();
navigator.sendBeacon(`${elsewhere}/beacon`, 'osdmap');
for (const open of [WebSocket, EventSource]) {
  try {
    new open(`${elsewhere.replace('http:', open === WebSocket ? 'ws:' : 'http:')}/socket`);
  } catch {
    // It may also throw at once.
  }
}
new Image().src = `${elsewhere}/image`;
const style = document.createElement('link');
style.rel = 'stylesheet';
style.href = `${elsewhere}/style.css`;
document.head.append(style);
await new Promise((resolve) => setTimeout(resolve, 300));
globalThis.outcome = outcome;
