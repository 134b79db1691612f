import { describe, expect, test } from "vitest";
import { Fault } from "../../../src/core/fault.ts";
import type { Instant } from "../../../src/core/time.ts";
import { bit, json, nullable, text, whole } from "../../../src/store/sql/codec.ts";
import { column, group, instant, maybe, table } from "../../../src/store/sql/table.ts";

interface Pet {
  readonly petId: string;
  readonly isTame: boolean;
  readonly size: { readonly heightCm: number; readonly widthCm: number };
  readonly owner: { readonly name: string; readonly since: Instant } | null;
  readonly nickname: string | null;
}

const pets = table<Pet, Pet & { readonly shelter: string }>(
  "pets",
  ["shelter", "pet_id"],
  () => ({
    petId: text,
    isTame: bit,
    size: group({ heightCm: whole, widthCm: column("width", whole) }),
    owner: maybe({ name: column("owner_name", text), since: instant("owned") }),
    nickname: nullable(json(text)),
  }),
  { shelter: (pet) => pet.shelter },
);

const REX: Pet = {
  petId: "rex",
  isTame: true,
  size: { heightCm: 40, widthCm: 20 },
  owner: { name: "Ann", since: { epoch: "boot", ms: 1.5 } },
  nickname: "R\u0000",
};
const STRAY: Pet = { ...REX, owner: null, nickname: null };
const COLUMNS = ["pet_id", "is_tame", "height_cm", "width", "owner_name", "owned_epoch", "owned_ms", "nickname"];

function rowOf(pet: Pet) {
  const [, ...values] = pets.insert({ ...pet, shelter: "north" }).params;
  return Object.fromEntries(COLUMNS.map((name, index) => [name, values[index]]));
}

describe("a record", () => {
  test.each([REX, STRAY])("comes back as it was written: %o", (pet) => {
    expect(pets.read(rowOf(pet))).toEqual(pet);
  });

  test("is inserted with the columns that only writing has", () => {
    const { sql, params } = pets.insert({ ...STRAY, shelter: "north" });
    expect(sql).toBe(`INSERT INTO pets (shelter, ${COLUMNS.join(", ")}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    expect(params).toEqual(["north", "rex", 1, 40, 20, null, null, null, null]);
  });

  test("overwrites the row with its key", () => {
    const { sql } = pets.upsert({ ...REX, shelter: "north" });
    expect(sql).toContain(" ON CONFLICT (shelter, pet_id) DO UPDATE SET is_tame = excluded.is_tame, ");
    expect(sql).not.toContain("pet_id = excluded");
  });

  test("is updated in some columns, and only in one row", () => {
    const rename = pets.update(() => ["nickname", "is_tame"], ["pet_id"]);
    expect(rename({ ...REX, shelter: "north" }, ["other"])).toEqual({
      sql: "UPDATE pets SET is_tame = ?, nickname = ? WHERE pet_id = ?",
      params: [1, '"R\\u0000"', "other"],
      mustTouchOne: true,
    });
  });
});

test("a select names the columns of the table that it calls by another name", () => {
  expect(pets.columns("p").sql).toBe(COLUMNS.map((name) => `p.${name}`).join(", "));
  expect(pets.columns().sql).toMatch(/^pets\.pet_id, /);
});

test.each([
  ["a group that is only half there", { owned_ms: null }, "pets.owned_ms is not a number"],
  ["a column that is missing", { is_tame: undefined }, "pets.is_tame is neither 0 nor 1"],
  ["text that is not JSON", { nickname: "R" }, "pets.nickname is not JSON"],
])("%s is a damaged store, and the fault names the place", (_, damage, problem) => {
  const read = () => pets.read({ ...rowOf(REX), ...damage });
  expect(read).toThrow(Fault);
  expect(read).toThrow(problem);
});
