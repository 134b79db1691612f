import { describe, expect, test } from "vitest";
import { hasPassword, isExposed, parsePostgresAddress } from "../../src/core/postgres-address.ts";

function exposed(address: string): boolean {
  return isExposed(parsePostgresAddress(address));
}

describe("an address of a server", () => {
  test.each([
    ["postgres://db/tt", { url: "postgres://db/tt", hosts: ["db"], mode: "disable", rootCertificate: null }],
    [
      "postgres://u:p%40@db:5433/tt?sslmode=require",
      { url: "postgres://u:p%40@db:5433/tt", hosts: ["db"], mode: "require" },
    ],
    [
      "postgres://db/tt?sslrootcert=/ca.crt&x=1",
      { url: "postgres://db/tt?x=1", mode: "verify-full", rootCertificate: "/ca.crt" },
    ],
    ["postgres://db/tt?sslrootcert=system", { mode: "verify-full", rootCertificate: null }],
    ["postgres://db/tt?ssl=true", { mode: "verify-full" }],
    ["postgres://db/tt?ssl=false", { mode: "disable" }],
    ["postgres://db/tt?sslmode=Verify", { mode: null }],
    [
      "postgres://u@a:1,b:2/tt?sslmode=verify-ca",
      { url: "postgres://u@a:1,b:2/tt", hosts: ["a", "b"], mode: "verify-ca" },
    ],
    ["postgres://[::1]:5432/tt", { hosts: ["::1"] }],
    ["postgres://u@%2Frun%2Fpg/tt", { hosts: ["/run/pg"] }],
    ["postgres:///tt", { hosts: [""] }],
    ["postgres://%ZZ/tt", { hosts: ["%ZZ"] }],
  ])("%s", (address, expected) => {
    expect(parsePostgresAddress(address)).toMatchObject(expected);
  });

  test("can be read on the way when it leads elsewhere without demanding encryption", () => {
    for (const host of ["localhost", "127.0.0.1", "127.1.2.3:9", "[::1]", "%2Frun%2Fpg", ""])
      expect([host, exposed(`postgres://${host}/tt`)]).toEqual([host, false]);
    for (const host of ["db", "10.0.0.1", "[2001:db8::1]:5432", "localhost,db"])
      expect([host, exposed(`postgres://u:p@${host}/tt`)]).toEqual([host, true]);
    for (const mode of ["disable", "allow", "prefer"]) expect(exposed(`postgres://db/tt?sslmode=${mode}`)).toBe(true);
    for (const mode of ["require", "verify-ca", "verify-full"])
      expect(exposed(`postgres://db/tt?sslmode=${mode}`)).toBe(false);
  });

  test("tells whether it holds a password", () => {
    expect(["postgres://u:p@db", "postgres://db/tt?password=p"].map(hasPassword)).toEqual([true, true]);
    expect(["postgres://u@db", "postgres://db:5432/tt", "sqlite"].map(hasPassword)).toEqual([false, false, false]);
  });
});
