import { describe, expect, it } from "vitest";
import { LineLimit, type LongLine } from "../../../src/surfaces/mcp/line-limit.ts";

const MAX = 4096;

/** Gives the text in pieces of the size, and says what was passed on and what was too long. */
function passed(text: string, size: number) {
  const long: LongLine[] = [];
  const limit = new LineLimit(MAX, (line) => long.push(line));
  const bytes = Buffer.from(text);
  let through = "";
  let most = 0;
  for (let at = 0; at < bytes.length; at += size) {
    for (const piece of limit.pass(bytes.subarray(at, at + size))) through += piece.toString();
    most = Math.max(most, limit.heldBytes);
  }
  return { lines: through.split("\n"), long, most };
}

const request = (id: unknown, body: string) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { body, id: 99 } });
const idLast = (id: unknown, body: string) => ({ method: "x", params: { id: 99, body }, jsonrpc: "2.0", id });

describe("a line that is too long", () => {
  it.each([1, 7, 1000, 100_000])("is left out, and the lines around it are not, in pieces of %d bytes", (size) => {
    const long = JSON.stringify(request(2, "ä".repeat(MAX)));
    const lines = [JSON.stringify(request(1, "a")), long, JSON.stringify(request(3, "b")), "\r", ""];
    const { lines: through, long: told, most } = passed(lines.join("\n"), size);
    const whole = through.filter((line) => !line.includes("\0"));
    expect(whole).toEqual([lines[0], lines[2], "\r", ""]);
    expect(told).toEqual([{ id: 2, bytes: Buffer.byteLength(long) }]);
    expect(most).toBeLessThan(3000);
  });

  it("is never half of a message: what was passed on of it is no JSON", () => {
    const { lines } = passed(`{"a":1}${" ".repeat(MAX)}\n`, 100);
    expect(() => JSON.parse(lines[0] ?? "")).toThrow(SyntaxError);
  });

  it("of exactly the limit is not too long", () => {
    const line = "x".repeat(MAX);
    expect(passed(`${line}\n${line}y\n`, 1000).long).toEqual([{ id: null, bytes: MAX + 1 }]);
    expect(passed(`${line}\n`, 1000).lines).toEqual([line, ""]);
  });

  it.each([
    ["first", request(7, "b"), 7],
    ["first, a text", request('a"b', "b"), 'a"b'],
    ["last", idLast(8, "b"), 8],
    ["last, a text", idLast("z-1", "b"), "z-1"],
    ["before the version", { method: "x", params: {}, id: 5, jsonrpc: "2.0" }, 5],
    ["only inside of the parameters", { method: "x", params: { id: 3 } }, null],
    ["nowhere", ["a list"], null],
    ["of another kind", request({ a: 1 }, "b"), null],
  ])("tells its id where that is %s", (_, message, id) => {
    const text = JSON.stringify(message, (key, value: unknown) => (key === "body" ? "b".repeat(2 * MAX) : value));
    const padded = text.length > MAX ? text : text.replace('"params":{', `"params":{"pad":"${"b".repeat(2 * MAX)}",`);
    const long = padded.length > MAX ? padded : `["${"b".repeat(2 * MAX)}"]`;
    expect(passed(`${long}\n`, 1000).long).toMatchObject([{ id }]);
  });
});
