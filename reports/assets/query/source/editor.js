// The editor: colours and completion over the textarea, which stays the fallback. Tab leaves it.
import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { SQLDialect, sql } from "@codemirror/lang-sql";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec } from "@codemirror/state";
import { EditorView, drawSelection, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const words = (text) => text.trim().replace(/\s+/g, " ");
const DUCKDB = SQLDialect.define({
  keywords: words(`
    all and any as asc between by case cast cross describe desc distinct else end except exclude exists
    filter first following from full group having ilike in inner intersect interval is join last lateral
    left like limit not null nulls offset on or order over partition pivot positional preceding qualify
    range recursive right row rows sample select semi anti asof show similar summarize table then to
    unbounded union unpivot using values when where window with`),
  types: words(`
    bigint blob boolean date decimal double float hugeint integer list map smallint struct time timestamp
    tinyint ubigint uinteger uuid varchar`),
  builtin: words(`
    any_value arg_max arg_min avg bool_and bool_or columns coalesce concat count date_diff date_trunc
    dense_rank epoch exp first first_value floor format greatest histogram if ifnull lag last last_value
    lead least length list ln log lower mad max median min mode ntile nullif printf quantile_cont rank
    regexp_extract regexp_matches regexp_replace replace round row_number split_part sqrt stddev strftime
    string_agg substr sum trim unnest upper var_samp`),
  operatorChars: "*+-%<>!=&|~^/:",
  doubleQuotedStrings: false,
  hashComments: false,
});

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.typeName, tags.standard(tags.name)], color: "var(--name)" },
]);

/**
 * An editor in the place of `area`, with the same label and text.
 *
 * `tables` is `{table: [[column, type]]}`; `run` is called with Ctrl-Enter or Command-Enter.
 */
function create(area, tables, { run }) {
  const schema = Object.fromEntries(
    Object.entries(tables).map(([name, columns]) => [
      name,
      columns.map(([label, type]) => ({ label, detail: type.toLowerCase(), type: "property" })),
    ]),
  );
  const view = new EditorView({
    state: EditorState.create({
      doc: area.value,
      extensions: [
        Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }])),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ icons: false }),
        sql({ dialect: DUCKDB, schema, upperCaseKeywords: false }),
        syntaxHighlighting(colours),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          "aria-label": area.labels[0].textContent,
          "aria-describedby": area.getAttribute("aria-describedby"),
          spellcheck: "false",
          tabindex: "0", // said, for programs that help people and know no contenteditable
        }),
        placeholder(area.placeholder),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      ],
    }),
  });
  area.hidden = true;
  area.after(view.dom);
  return {
    get: () => view.state.doc.toString(),
    set: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    insert: (text) => {
      view.dispatch(view.state.replaceSelection(text));
      view.focus();
    },
    focus: () => view.focus(),
  };
}

window.diskbenchEditor = { create };
