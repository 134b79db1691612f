import { expect, it } from "vitest";
import { jsonc } from "../../../src/install/formats/jsonc.ts";
import { toml } from "../../../src/install/formats/toml.ts";
import { hideValues } from "../../../src/install/rules/config-format.ts";
import type { Entry } from "../../../src/install/rules/entry.ts";

const OURS: readonly Entry[] = [{ kind: "property", path: ["a"], value: { command: "tt", args: ["mcp", 3] } }];

it("hides values and comments of JSON, and keeps keys, structure and our own values", () => {
  const text =
    '\uFEFF{ // x\n"a": {"command":"tt","args":["mcp",3,4]}, /* y\ny */ "k": ["s", null, true, {"n": -1.5e3,}] }\n';
  expect(hideValues(jsonc, text, OURS)).toBe(
    '\uFEFF{ …\n"a": {"command":"tt","args":["mcp",3,…]}, …\n… "k": […, …, true, {"n": …,}] }\n',
  );
  expect(hideValues(jsonc, "// only a comment\n", OURS)).toBe("…\n");
});

it("hides values and comments of TOML likewise", () => {
  const text = [
    "# x",
    'k = """',
    's"""',
    "[a.b] # y",
    "command = 'tt'",
    'args = ["mcp", 3, 4] # z',
    "on = true",
    "at = 2020-01-02T03:04:05Z",
    "[[c]]",
    "d.e = { f = 's', g = [[1], inf] }",
    "",
  ].join("\r\n");
  expect(hideValues(toml, text, OURS).split("\r\n")).toEqual([
    "…",
    "k = …",
    "…",
    "[a.b] …",
    "command = 'tt'",
    'args = ["mcp", 3, …] …',
    "on = true",
    "at = …",
    "[[c]]",
    "d.e = { f = …, g = [[…], …] }",
    "",
  ]);
});
