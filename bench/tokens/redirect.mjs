/**
 * Loaded before a service's own MCP server (`node --import`): what it asks of the service at its fixed address
 * goes to the stand-in. `REDIRECT_FROM` and `REDIRECT_TO` are the beginnings of the two addresses.
 */
const { REDIRECT_FROM: from, REDIRECT_TO: to } = process.env;
const ask = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const asked = input instanceof Request ? input.url : String(input);
  if (!asked.startsWith(from)) throw new Error(`the server asked ${asked}, and not the stand-in`);
  const url = to + asked.slice(from.length);
  return input instanceof Request ? ask(new Request(url, input), init) : ask(url, init);
};
