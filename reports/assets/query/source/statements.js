// SQL as text: where one statement ends, what kind it is, and what an error says of it.

// strings, names, comments and dollar quotes hide what is in them
const TOKEN =
  /\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|(\$\w*\$)[\s\S]*?\1|;/g;
const COMMENTS = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/;

/** The statements of a text, without those that are only space and comments. */
export function split(text) {
  const found = [];
  let from = 0;
  for (const token of text.matchAll(TOKEN)) {
    if (token[0] !== ";") continue;
    found.push(text.slice(from, token.index));
    from = token.index + 1;
  }
  found.push(text.slice(from));
  return found.filter((one) => one.replace(COMMENTS, "").trim() !== "");
}

const first = (statement) => /^\(*\s*(\w*)/.exec(statement.replace(COMMENTS, ""))[1].toLowerCase();

const CLOSED = "attach detach copy export import install load force use checkpoint vacuum".split(" ");

/** Why a statement cannot work on this page; nothing when it can. */
export function refusal(statement) {
  const word = first(statement);
  if (!CLOSED.includes(word)) return null;
  return (
    `${word.toUpperCase()} does not work on this page: it reads the site's own database and nothing else. ` +
    "Download the database, and use the duckdb program for that."
  );
}

/**
 * What makes a table of a query's rows: the lines to put before and after it; none for a statement
 * that has no rows to keep.
 */
export function wrapping(statement) {
  const word = first(statement);
  if (["select", "from", "with", "values", "table", "pivot", "unpivot"].includes(word)) return ["", ""];
  if (["describe", "desc", "show", "summarize"].includes(word)) return ["from (", ")"];
  return null;
}

/** An error's message for people: lines counted from `before`, no advice that cannot be followed. */
export function message(error, before = 0) {
  let text = String(error?.message ?? error).trim();
  text = text.replace(/\n\s*Please try installing and loading[\s\S]*$/, "\nThis page loads no extensions.");
  text = text.replace(/\nDatabase is launched in in-memory mode[\s\S]*$/, "\nThis page has no more memory.");
  text = text.replace(/\n+Use "SET [^\n]*/, "");
  text = text.replace(/\n\t?Candidate functions:[\s\S]*?(?=\n\nLINE|$)/, "");
  text = text.replace(/^LINE (\d+):/gm, (_, line) => `LINE ${line - before}:`);
  const parts = text.split(/\n{2,}/);
  return parts.filter((part, at) => parts.indexOf(part) === at).join("\n\n");
}
