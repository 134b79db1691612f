/** Configuration files as people leave them: any indent, any blanks, comments everywhere, commas too many. */
import fc from "fast-check";

const KEYS = ["hooks", "mcpServers", "Stop", "talking-stick", "SessionStart", "a", "b c", "", "é", '"', "//", "type"];

/** Blanks and comments that may stand between any two tokens of JSON. */
const gap = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("", " ", "\n", "\n  ", "\n\t", "\r\n    ") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(" // said\n", "/* , } ] */", "\n  // a line, of its own }\n  ", " /* two\n lines */ "),
  },
);

const scalar = fc
  .oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom(...KEYS, "/* no comment */", "a, b", "tt-hook"))
  .map((value) => JSON.stringify(value));

const { value: jsonValue } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, scalar, tie("list"), tie("object")),
  list: fc
    .tuple(fc.array(fc.tuple(gap, tie("value"), gap), { maxLength: 4 }), fc.boolean(), gap)
    .map(([items, extra, end]) =>
      listText(
        "[",
        items.map(([one, two, three]) => one + two + three),
        extra,
        end,
        "]",
      ),
    ),
  object: objectOf(tie("value")),
}));

function objectOf(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const property = fc.tuple(fc.constantFrom(...KEYS), gap, gap, value, gap);
  return fc
    .tuple(fc.uniqueArray(property, { maxLength: 5, selector: ([key]) => key }), fc.boolean(), gap)
    .map(([properties, extra, end]) => {
      const items = properties.map(
        ([key, one, two, text, three]) => `${one}${JSON.stringify(key)}:${two}${text}${three}`,
      );
      return listText("{", items, extra, end, "}");
    });
}

function listText(open: string, items: readonly string[], extra: boolean, end: string, close: string): string {
  return `${open}${items.join(",")}${extra && items.length > 0 ? "," : ""}${end}${close}`;
}

export const jsoncDocuments: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(gap, objectOf(jsonValue), gap).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: gap },
);

const tomlNote = fc.constantFrom("", " # said", "  # ] } = [x]");
const tomlBreak = fc.constantFrom("\n", "\n\n", "\n# a line of its own = 1\n", "\n  \n");

/** One way to write each of the things that a document may hold; none of them excludes another. */
const TOML_PARTS: readonly (readonly string[])[] = [
  ['model = "x"', "model = 'it''s'".replace("''", ""), 'model = """\n[not.a.table]\n"""'],
  ["when = 1979-05-27T07:32:00Z", "size = 1_000", "ratio = inf"],
  ["dotted.a.b = 1", '"quoted key" = [1, 2]'],
];

const TOML_TABLES: readonly (readonly string[])[] = [
  ["[features]\nhooks = true", "[features]"],
  ["[mcp_servers.other]\ncommand = 'n'", '[mcp_servers.other.env]\nK = "v"', "[mcp_servers]"],
  ["[[list]]\nx = 1\n\n[[list]]\nx = 2"],
  ["[sandbox_workspace_write]", "[sandbox_workspace_write]\nnetwork_access = true"],
  ['[hooks.state."/h/hooks.json:stop:0:0"]\ntrusted_hash = "sha256:1"'],
];

const ROOTS = [
  "sandbox_workspace_write.writable_roots = []",
  'sandbox_workspace_write.writable_roots = [ "/a" ]',
  "sandbox_workspace_write = { network_access = true }",
  "sandbox_workspace_write = {}",
  'sandbox_workspace_write = { writable_roots = ["/a", "/b"], network_access = true }',
  "sandbox_workspace_write.network_access = true",
  'sandbox_workspace_write.writable_roots = [\n  "/a", # first\n  "/b" # second\n]',
  'sandbox_workspace_write.writable_roots = [\n\t"/a",\n\t"/b",\n\t# end\n]',
];

function someOf(groups: readonly (readonly string[])[]): fc.Arbitrary<string[]> {
  return fc
    .shuffledSubarray([...groups])
    .chain((chosen) => fc.tuple(...chosen.map((forms) => fc.constantFrom(...forms))).map((forms) => [...forms]));
}

export const tomlDocuments: fc.Arbitrary<string> = fc
  .tuple(
    someOf(TOML_PARTS),
    fc.option(fc.constantFrom(...ROOTS), { nil: null }),
    someOf(TOML_TABLES),
    fc.array(fc.tuple(tomlNote, tomlBreak), { minLength: 12, maxLength: 12 }),
    fc.constantFrom("", "\n", "\n# the end"),
  )
  .map(([parts, roots, tables, breaks, end]) => {
    const own = roots === null ? tables : tables.filter((table) => !table.startsWith("[sandbox"));
    const pieces = [...parts, ...(roots === null ? [] : [roots]), ...own];
    return pieces.map((piece, index) => piece + (breaks[index] ?? ["", "\n"]).join("")).join("") + end;
  })
  .chain((text) => fc.boolean().map((crlf) => (crlf ? text.replaceAll("\n", "\r\n") : text)));
