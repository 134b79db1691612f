import { describe, expect, it } from "vitest";
import { type AskedRequest, judgeRequest, type Rules } from "../../../src/surfaces/ui/judge-request.ts";
import { headersOf, isOurs, rowsFor, titleOf } from "./request-table.ts";

const SECRET = "s3cret_of-this-run";
const rules: Rules = {
  port: 4000,
  files: new Set(["/", "/page.js"]),
  operations: new Set(["list_rooms", "send_message"]),
  isSecret: (given) => given === SECRET,
};

type Headers = readonly (readonly [string, string])[];

function asked(method: string, target: string, headers: Headers): AskedRequest {
  const header = (name: string) => headers.filter(([known]) => known.toLowerCase() === name).map(([, value]) => value);
  return { method, target, header };
}

const verdict = (method: string, target: string, headers: Headers, changed: Partial<Rules> = {}) =>
  judgeRequest(asked(method, target, headers), { ...rules, ...changed }).kind;

const OWN_HOST = ["Host", "127.0.0.1:4000"] as const;
const TOKEN = ["Authorization", `Bearer ${SECRET}`] as const;
const CALL: Headers = [OWN_HOST, TOKEN, ["Origin", "http://127.0.0.1:4000"], ["Sec-Fetch-Site", "same-origin"]];

const comparing = () => {
  throw new Error("was compared");
};

describe("the judge of requests", () => {
  it("answers exactly the requests of which every part is the page's own", () => {
    const rows = [...rowsFor({ port: 4000, secret: SECRET })];
    expect(rows.filter(isOurs).length).toBeGreaterThan(30);
    const wrong = rows.filter((row) => {
      const { method, target } = row;
      const answered = verdict(method.value ?? "", target.value ?? "", headersOf(row)) !== "refused";
      return answered !== isOurs(row);
    });
    expect(wrong.map(titleOf)).toEqual([]);
  });

  it("says what a request may have", () => {
    expect(judgeRequest(asked("POST", "/api/list_rooms", CALL), rules)).toEqual({
      kind: "operation",
      name: "list_rooms",
    });
    expect(judgeRequest(asked("POST", "/api/stream", CALL), rules)).toEqual({ kind: "stream" });
    expect(judgeRequest(asked("GET", "/page.js", [OWN_HOST]), rules)).toEqual({ kind: "file", path: "/page.js" });
  });

  it("refuses a foreign host before it looks at anything else, so that a stolen secret is of no use there", () => {
    const headers = [["Host", "evil.test:4000"], TOKEN] as const;
    expect(judgeRequest(asked("POST", "/api/stream", headers), rules)).toEqual({ kind: "refused", by: "host" });
  });

  it("compares no secret before host, origin, method and path are right", () => {
    for (const [method, target, headers] of [
      ["POST", "/api/stream", [["Host", "evil.test"], TOKEN]],
      ["POST", "/api/stream", [OWN_HOST, TOKEN, ["Origin", "http://evil.test"]]],
      ["POST", "/api/no_such_operation", CALL],
      ["GET", "/api/list_rooms", CALL],
    ] as const)
      expect(verdict(method, target, headers, { isSecret: comparing })).toBe("refused");
    expect(() => verdict("POST", "/api/stream", CALL, { isSecret: comparing })).toThrow("was compared");
  });

  it.each([
    ["an encoded path", "/%70age.js"],
    ["an encoded slash", "/api%2Flist_rooms"],
    ["a way around", "/api/../page.js"],
    ["a way out", "/../../etc/passwd"],
    ["an encoded way out", "/%2e%2e/%2e%2e/etc/passwd"],
    ["a backslash", "/..\\..\\etc\\passwd"],
    ["a double slash", "//page.js"],
    ["a query", "/page.js?x"],
    ["a whole address", "http://127.0.0.1:4000/page.js"],
    ["another letter case", "/PAGE.JS"],
    ["an operation with more behind it", "/api/list_rooms/"],
    ["an inherited name", "/api/constructor"],
    ["nothing", ""],
    ["a star", "*"],
  ])("refuses %s", (_, target) => {
    expect(verdict("GET", target, [OWN_HOST])).toBe("refused");
    expect(verdict("POST", target, CALL)).toBe("refused");
  });

  it.each(["Host", "Origin", "Sec-Fetch-Site", "Authorization"])("refuses a request with two headers %s", (name) => {
    const [, value] = CALL.find(([known]) => known === name) ?? ["", ""];
    expect(verdict("POST", "/api/list_rooms", CALL)).toBe("operation");
    expect(verdict("POST", "/api/list_rooms", [...CALL, [name, value]])).toBe("refused");
  });

  it.each([
    "Bearer ",
    `Bearer  ${SECRET}`,
    `bearer ${SECRET}`,
    `Bearer ${SECRET} x`,
    SECRET,
    `Bearer ${"a".repeat(5000)}`,
  ])("refuses the authorization %.40s", (authorization) => {
    expect(verdict("POST", "/api/list_rooms", [OWN_HOST, ["Authorization", authorization]])).toBe("refused");
  });

  it("takes no secret from a cookie or from the address", () => {
    expect(verdict("POST", "/api/list_rooms", [OWN_HOST, ["Cookie", `secret=${SECRET}`]])).toBe("refused");
    expect(verdict("POST", `/api/list_rooms?secret=${SECRET}`, [OWN_HOST])).toBe("refused");
  });

  it.each([
    "0.0.0.0:4000",
    "127.1:4000",
    "2130706433:4000",
    "localhost.:4000",
    "evil@127.0.0.1:4000",
    "127.0.0.1:4000, evil.test",
    "127.0.0.1:04000",
    "127.0.0.1:4000/",
    "[::ffff:127.0.0.1]:4000",
    "",
  ])("refuses the host %j, which leads here as well", (host) => {
    expect(verdict("GET", "/", [["Host", host]])).toBe("refused");
    expect(verdict("POST", "/api/list_rooms", [["Host", host], TOKEN])).toBe("refused");
  });

  it("knows its names without a port only at the usual one", () => {
    expect(verdict("GET", "/", [["Host", "localhost"]], { port: 80 })).toBe("file");
    expect(verdict("GET", "/", [["Host", "localhost"]])).toBe("refused");
  });
});

const navigation = (more: Headers = []): Headers => [
  OWN_HOST,
  ["Sec-Fetch-Site", "cross-site"],
  ["Sec-Fetch-Mode", "navigate"],
  ["Sec-Fetch-Dest", "document"],
  ...more,
];

describe("a page of another site, or the redirect file", () => {
  it("may lead a window to the page, which has nothing of this run in it", () => {
    expect(verdict("GET", "/", navigation())).toBe("file");
  });

  it("may not take its parts, embed it, read it or post to it", () => {
    expect(verdict("GET", "/page.js", navigation())).toBe("refused");
    expect(verdict("POST", "/api/list_rooms", navigation([TOKEN]))).toBe("refused");
    expect(verdict("GET", "/", navigation([["Origin", "http://evil.test"]]))).toBe("refused");
    for (const dest of ["iframe", "frame", "object", "embed", "empty", "image", "script"]) {
      const headers = navigation().map(([name, value]) => [name, name === "Sec-Fetch-Dest" ? dest : value] as const);
      expect(verdict("GET", "/", headers)).toBe("refused");
    }
    for (const mode of ["no-cors", "cors", "same-origin", "websocket"]) {
      const headers = navigation().map(([name, value]) => [name, name === "Sec-Fetch-Mode" ? mode : value] as const);
      expect(verdict("GET", "/", headers)).toBe("refused");
    }
  });
});
