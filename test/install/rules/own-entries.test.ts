/** Whatever a user's file looks like: our entries come in, nothing else changes, and going they leave it as it was. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonc } from "../../../src/install/formats/jsonc.ts";
import { toml } from "../../../src/install/formats/toml.ts";
import type { ConfigFormat } from "../../../src/install/rules/config-format.ts";
import { type Entry, holds, isDocument, valueAt } from "../../../src/install/rules/entry.ts";
import { bringIn, takeOut } from "../../../src/install/rules/own-entries.ts";
import type { OwnEntries } from "../../../src/install/rules/own-marks.ts";
import { jsoncDocuments, tomlDocuments } from "./random-documents.ts";

const RUNS = { numRuns: 400 };

const SERVER = { command: "/usr/bin/node", args: ["/x/tt.cjs", "mcp"], env: { TT_DATA_DIR: "/d 'x\" \\" } };
const hook = (event: string) => ({ hooks: [{ type: "command", command: `tt-hook ${event}` }] });

const JSON_OWN: OwnEntries = {
  entries: [
    { kind: "property", path: ["mcpServers", "talking-stick"], value: SERVER },
    { kind: "item", path: ["hooks", "SessionStart"], value: hook("session-start") },
    { kind: "item", path: ["hooks", "Stop"], value: hook("stop") },
  ],
  written: [],
  marks: { isOurs: isOursInJson, lists: ["hooks"] },
};

function isOursInJson(value: unknown): boolean {
  return JSON.stringify(value) === JSON.stringify(SERVER) || /"command":"tt-hook /.test(JSON.stringify(value ?? null));
}

const TOML_OWN: OwnEntries = {
  entries: [
    { kind: "property", path: ["mcp_servers", "talking-stick"], value: SERVER },
    { kind: "item", path: ["sandbox_workspace_write", "writable_roots"], value: "/d 'x\" \\" },
  ],
  written: [],
  marks: { isOurs: (value) => isDocument(value) && value["command"] === SERVER.command, lists: null },
};

const FORMATS: readonly (readonly [string, ConfigFormat, fc.Arbitrary<string>, OwnEntries])[] = [
  ["JSON with comments", jsonc, jsoncDocuments, JSON_OWN],
  ["TOML", toml, tomlDocuments, TOML_OWN],
];

function commentsIn(text: string): readonly string[] {
  return text.match(/said|two\s+lines|, \} \]|of its own|the end|first|second|# end/g) ?? [];
}

describe.each(FORMATS)("%s", (_, format, documents, own) => {
  it("the documents are documents", () => {
    fc.assert(
      fc.property(documents, (text) => format.read(text) !== null),
      RUNS,
    );
  });

  it("what came in goes out again, byte for byte", () => {
    let placed = 0;
    fc.assert(
      fc.property(documents, (text) => {
        const edited = bringIn(format, text, own);
        // Something else stands where ours would, which is a reason to refuse.
        if (edited === null) return;
        placed += 1;
        expect(own.entries.every((entry) => holds(format.read(edited.text), entry))).toBe(true);
        expect(takeOut(format, edited.text, { ...own, written: edited.written })).toEqual({
          text,
          written: [],
          exact: true,
        });
      }),
      RUNS,
    );
    expect(placed).toBeGreaterThan(RUNS.numRuns / 3);
  });

  it("a second time changes nothing", () => {
    fc.assert(
      fc.property(documents, (text) => {
        const once = bringIn(format, text, own);
        if (once === null) return;
        expect(bringIn(format, once.text, { ...own, written: once.written })).toEqual({ ...once, exact: true });
      }),
      RUNS,
    );
  });

  it("without a record our entries are removed anyway, and every comment stays", () => {
    fc.assert(
      fc.property(documents, (text) => {
        // An entry of that name with comments inside is taken for ours as it is, which nobody can tell without a record.
        if (own.entries.some(({ kind, path }) => kind === "property" && valueAt(format.read(text), path) !== undefined))
          return;
        const edited = bringIn(format, text, own);
        const out = edited && takeOut(format, edited.text, own);
        if (!edited || !out) return;
        const left = format.read(out.text);
        const known = own.entries.filter(({ kind }) => own.marks.lists !== null || kind === "property");
        expect(known.filter((entry) => holds(left, entry))).toEqual([]);
        expect(commentsIn(out.text)).toEqual(commentsIn(text));
      }),
      RUNS,
    );
  });

  it("other values for the same entries take their place", () => {
    const former = own.entries.map(
      (entry): Entry =>
        entry.kind === "property" ? { ...entry, value: { ...SERVER, args: ["/old/tt.cjs", "mcp"] } } : entry,
    );
    fc.assert(
      fc.property(documents, (text) => {
        const before = bringIn(format, text, { ...own, entries: former });
        if (before === null) return;
        const now = bringIn(format, before.text, { ...own, written: before.written });
        expect(now?.text).toBe(bringIn(format, text, own)?.text);
        expect(now && takeOut(format, now.text, { ...own, written: now.written })?.text).toBe(text);
      }),
      RUNS,
    );
  });
});

it("a file that its program has rewritten since is cleared by what it means", () => {
  fc.assert(
    fc.property(jsoncDocuments, (text) => {
      const edited = bringIn(jsonc, text, JSON_OWN);
      if (edited === null) return;
      const rewritten = JSON.stringify(jsonc.read(edited.text), null, 4);
      const out = takeOut(jsonc, rewritten, { ...JSON_OWN, written: edited.written });
      expect(out && jsonc.read(out.text)).toEqual(jsonc.read(text));
    }),
    RUNS,
  );
});
