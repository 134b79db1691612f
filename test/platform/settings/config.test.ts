import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../../src/core/policy.ts";
import { isRefusal, type Refusal } from "../../../src/core/refusal.ts";
import { type Config, readConfig } from "../../../src/platform/settings/config.ts";
import type { Environment } from "../../../src/platform/settings/environment.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** Reads the config of a home directory whose config file has that text. */
function readWith(text: string | Uint8Array | null, env: Environment = {}): Config | Refusal {
  const home = temporaryDirectory();
  if (text !== null) {
    const file = join(home, ".config/tt/config.json");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return readConfig({ HOME: home, ...env });
}

function refusalOf(config: Config | Refusal): Refusal {
  if (!isRefusal(config)) throw new Error("nothing was refused");
  return config;
}

describe("settings", () => {
  test("without a file everything has its default", () => {
    expect(readWith(null)).toEqual({
      dataDir: null,
      store: { kind: "sqlite" },
      policy: DEFAULT_POLICY,
      wake: "auto",
      notify: { kind: "off" },
    });
  });

  test("an empty object changes nothing, and a byte-order mark does not matter", () => {
    expect(readWith("\uFEFF{}")).toEqual(readWith(null));
  });

  test("the file sets directory, store and policy", () => {
    const text =
      '{"data_dir": "/data/tt", "store": "postgres://db/tt", "lease_ttl_ms": 60000, "hops_max": 3, "wake": "native", "notify": "desktop"}';
    expect(readWith(text)).toEqual({
      dataDir: "/data/tt",
      store: { kind: "postgres", url: "postgres://db/tt" },
      policy: { ...DEFAULT_POLICY, leaseTtlMs: 60_000, hopsMax: 3 },
      wake: "native",
      notify: { kind: "desktop" },
    });
  });

  test("the environment overrides the file", () => {
    const env = { TT_LEASE_TTL_MS: "70000", TT_STORE: "postgresql://other/tt", TT_WAKE: "off" };
    expect(readWith('{"store": "postgres://db/tt", "lease_ttl_ms": 60000}', env)).toMatchObject({
      wake: "off",
      store: { kind: "postgres", url: "postgresql://other/tt" },
      policy: { leaseTtlMs: 70_000 },
    });
  });

  test("a time may be given with its unit, and only a time", () => {
    expect(readWith('{"lease_ttl_ms": "10m"}', { TT_CLAIM_TTL_MS: "90s" })).toMatchObject({
      policy: { leaseTtlMs: 600_000, claimTtlMs: 90_000 },
    });
    expect(refusalOf(readWith('{"max_retries": "10m"}')).facts["field"]).toBe("max_retries");
    expect(refusalOf(readWith(null, { TT_LEASE_TTL_MS: "0.5ms" })).next).toContain("a time such as 10m");
  });

  test("an empty variable is as good as none", () => {
    const env = { TT_LEASE_TTL_MS: "", TT_STORE: "", TT_CONFIG: "" };
    expect(readWith('{"lease_ttl_ms": 60000}', env)).toMatchObject({
      store: { kind: "sqlite" },
      policy: { leaseTtlMs: 60_000 },
    });
  });

  test("TT_CONFIG names another file", () => {
    const file = join(temporaryDirectory(), "own.json");
    writeFileSync(file, '{"hops_max": 1}');
    expect(readWith('{"hops_max": 2}', { TT_CONFIG: file })).toMatchObject({ policy: { hopsMax: 1 } });
  });

  test("XDG_CONFIG_HOME is not asked, because some harnesses hand on nothing but HOME", () => {
    expect(readWith('{"hops_max": 2}', { XDG_CONFIG_HOME: "/nowhere" })).toMatchObject({ policy: { hopsMax: 2 } });
  });
});

/** The store of a settings file of that text and mode. */
function storeIn(text: string, mode: number, env: Environment = {}) {
  const file = join(temporaryDirectory(), "config.json");
  writeFileSync(file, text);
  chmodSync(file, mode);
  const config = readConfig({ TT_CONFIG: file, ...env });
  return { file, store: isRefusal(config) ? null : config.store };
}

describe("a password in the file", () => {
  const WITH = '{"store": "postgres://u:p@db/tt"}';

  test.each([0o644, 0o640, 0o604, 0o755])("that others may read by mode %o is known to be exposed", (mode) => {
    const { file, store } = storeIn(WITH, mode);
    expect(store).toMatchObject({ kind: "postgres", exposedIn: file });
  });

  test("that is the user's alone, or is not used, or is none, is not", () => {
    const stores = [
      storeIn(WITH, 0o600),
      storeIn(WITH, 0o644, { TT_STORE: "postgres://u:p@db/tt" }),
      storeIn('{"store": "postgres://u@db/tt"}', 0o644),
    ].map(({ store }) => store);
    for (const store of stores) expect(store).not.toHaveProperty("exposedIn");
  });
});

describe("a wrong setting is refused by name", () => {
  test.each([
    ["lease_ttl_ms", '{"lease_ttl_ms": 1}'],
    ["wake", '{"wake": "sometimes"}'],
    ["lease_ttl_ms", '{"lease_ttl_ms": "a minute"}'],
    ["lease_ttl_ms", '{"lease_ttl_ms": 60000.5}'],
    ["lease_ttl_ms", '{"lease_ttl_ms": null}'],
    ["leaseTtlMs", '{"leaseTtlMs": 60000}'],
    ["error", '{"error": "x", "next": "y", "facts": {}}'],
    ["__proto__", '{"__proto__": {"hops_max": 1}}'],
    ["data_dir", '{"data_dir": "relative"}'],
    ["data_dir", '{"data_dir": 5}'],
    ["data_dir", '{"data_dir": "/a\\u0000b"}'],
    ["store", '{"store": "mysql://db"}'],
    ["store", '{"store": 5}'],
  ])("%s in %s", (field, text) => {
    const { error, message, facts } = refusalOf(readWith(text));
    expect([error, facts["field"]]).toEqual(["invalid_input", field]);
    expect(message).toContain(field);
    expect(message).toContain("config.json");
  });

  test.each([
    ["TT_LEASE_TTL_MS", "soon"],
    ["TT_LEASE_TTL_MS", "1"],
    ["TT_LEASE_TTL_MS", "-60000"],
    ["TT_LEASE_TTL_MS", "0x100000"],
    ["TT_LEASE_TTL_MS", "9".repeat(30)],
    ["TT_HOPS_MAX", " 3"],
    ["TT_STORE", "mysql://db"],
    ["TT_WAKE", "AUTO"],
    ["TT_DATA_DIR", "rel"],
    ["TT_DATA_DIR", "./rel"],
    ["TT_STORE", "/data/tt.db"],
  ])("%s=%s", (name, value) => {
    const { error, message, facts } = refusalOf(readWith(null, { [name]: value }));
    expect([error, facts["field"]]).toEqual(["invalid_input", name]);
    expect(message).toContain(name);
  });

  test.each([
    ["a port that is no number", "postgres://u:hunter2@db:54x2/tt", /port/],
    ["a port out of range", "postgres://u:hunter2@db:70000/tt", /port/],
    ["port 0", "postgres://u:hunter2@db:0/tt", /port/],
    ["a bad port of the second host", "postgres://u:hunter2@db:5432,other:x/tt", /port/],
    ["a broken escape in the password", "postgres://u:hunter2%ZZ@db/tt", /% that begins no escape/],
    ["a broken escape in the database", "postgres://u:hunter2@db/%E0%A4", /% that begins no escape/],
    ["an IPv6 host without its end", "postgres://u:hunter2@[::1/tt", /host/],
    ["an IPv6 host without brackets", "postgres://u:hunter2@fe80::1/tt", /host/],
    ["an IPv6 host that is none", "postgres://u:hunter2@[::zz]:5432/tt", /host/],
    ["a space in the host", "postgres://u:hunter2@d b/tt", /is not a valid address/],
    ["the password as a parameter", "postgres://db/tt?password=hunter2", /password as a parameter/],
    ["the user as a parameter", "postgres://db/tt?user=u&password=hunter2", /user as a parameter/],
    ["another search_path", "postgres://u:hunter2@db/tt?search_path=public", /search_path/],
    ["an unknown kind of session", "postgres://u:hunter2@db/tt?target_session_attrs=hunter2", /target_session_attrs/],
  ])("an address with %s", (_, url, told) => {
    for (const [config, field] of [
      [readWith(null, { TT_STORE: url }), "TT_STORE"],
      [readWith(JSON.stringify({ store: url })), "store"],
    ] as const) {
      const refusal = refusalOf(config);
      expect([refusal.error, refusal.facts["field"]]).toEqual(["invalid_input", field]);
      expect(refusal.message).toContain(field);
      expect(refusal.message).toMatch(told);
      expect(JSON.stringify(refusal)).not.toContain("hunter2");
    }
  });

  test.each([
    ["PGPORT", "abc"],
    ["PGPORT", "70000"],
    ["PGTARGETSESSIONATTRS", "any"],
  ])("%s=%s, which the driver would stumble over", (name, value) => {
    const { error, facts } = refusalOf(readWith(null, { TT_STORE: "postgres://db/tt", [name]: value }));
    expect([error, facts["field"]]).toEqual(["invalid_input", name]);
    expect(readWith(null, { [name]: value })).toMatchObject({ store: { kind: "sqlite" } });
  });

  test.each([
    "postgres://db/tt",
    "postgres:///tt",
    "postgresql://u:p%40ss%25@db:5432/tt?sslmode=require&application_name=tt",
    "postgres://u@[::1]:5432/tt",
    "postgres://u@[2001:db8::7]/tt",
    "postgres://u:p@one:5432,two:5433/tt?target_session_attrs=read-write",
  ])("but not %s", (url) => {
    expect(readWith(null, { TT_STORE: url })).toMatchObject({ store: { kind: "postgres", url } });
  });

  test("what was set is not repeated, since it may hold a password", () => {
    const refusals = [
      readWith(null, { TT_STORE: "pg://u:hunter2@db" }),
      readWith('{"store": "pg://u:hunter2@db"}'),
      readWith('{"store": "postgres://u:hunter2@db",}'),
      readWith('"hunter2"'),
    ];
    expect(JSON.stringify(refusals.map(refusalOf))).not.toContain("hunter2");
  });
});

describe("a file that cannot be used is refused", () => {
  test.each([
    ["is empty", ""],
    ["is cut off", '{"hops_max": 3'],
    ["holds a list", "[]"],
    ["holds null", "null"],
    ["is not UTF-8", Uint8Array.of(0x22, 0xff, 0x22)],
    ["is huge", `{${" ".repeat(100_000)}}`],
  ])("one that %s", (_, text) => {
    const { error, message } = refusalOf(readWith(text));
    expect(error).toBe("invalid_input");
    expect(message).toContain("config.json");
  });

  test("one that TT_CONFIG names and that is not there", () => {
    const file = join(temporaryDirectory(), "missing.json");
    expect(refusalOf(readWith(null, { TT_CONFIG: file })).message).toContain(file);
  });

  test("a directory", () => {
    expect(refusalOf(readWith(null, { TT_CONFIG: temporaryDirectory() })).error).toBe("invalid_input");
  });

  test("a pipe, which is not waited for", () => {
    const pipe = join(temporaryDirectory(), "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(refusalOf(readWith(null, { TT_CONFIG: pipe })).error).toBe("invalid_input");
  });
});
