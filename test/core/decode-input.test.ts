import { describe, expect, it } from "vitest";
import { decodeInput, schemaOf } from "../../src/core/decode-input.ts";
import { agentId, alsoNamed, choice, flag, integer, optional, shaped, text, unlisted } from "../../src/core/field.ts";

const FIELDS = {
  targetAgentId: alsoNamed(agentId("its recipient"), "target"),
  limit: optional(integer({ min: 1, max: 10 })),
  mode: optional(choice(["soft", "hard"])),
  force: optional(flag()),
  reason: optional(text(5)),
};

function refusedField(raw: Record<string, unknown>): unknown {
  const decoded = decodeInput(FIELDS, raw);
  return "error" in decoded && decoded.facts["field"];
}

describe("given input for an operation", () => {
  it("when every field fits, then it is decoded under the names of the program", () => {
    const wire = { target_agent_id: "codex:1", limit: 3, mode: "hard", force: false, reason: "so" };
    const decoded = { targetAgentId: "codex:1", limit: 3, mode: "hard", force: false, reason: "so" };
    expect(decodeInput(FIELDS, wire)).toEqual(decoded);
    expect(decodeInput(FIELDS, decoded)).toEqual(decoded);
  });

  it("when a field comes under another of its names, then it is the same field", () => {
    expect(decodeInput(FIELDS, { target: "codex:1" })).toEqual({ targetAgentId: "codex:1" });
    expect(decodeInput(FIELDS, { target: "codex:1", target_agent_id: "codex:1" })).toEqual({
      targetAgentId: "codex:1",
    });
    expect(refusedField({ target: "codex:1", target_agent_id: "codex:2" })).toBe("target_agent_id");
    expect(decodeInput(FIELDS, { target: "codex:1", target_agent_id: "codex:2" })).toMatchObject({
      message: "target and target_agent_id mean the same field, but their values differ.",
    });
  });

  it("when an optional field is null or undefined, then it is left out", () => {
    expect(decodeInput(FIELDS, { target: "a", limit: null, force: undefined })).toEqual({ targetAgentId: "a" });
  });

  it.each([
    [{ target: "two words" }, "target_agent_id"],
    [{ target: null }, "target_agent_id"],
    [{}, "target_agent_id"],
    [{ target: "a", limit: 11 }, "limit"],
    [{ target: "a", limit: "3" }, "limit"],
    [{ target: "a", limit: 1.5 }, "limit"],
    [{ target: "a", mode: "medium" }, "mode"],
    [{ target: "a", force: "yes" }, "force"],
    [{ target: "a", reason: "too long" }, "reason"],
    [{ target: "a", reason: 7 }, "reason"],
    [{ target: "a", limits: 3 }, "limits"],
    [{ target: "a", constructor: 3 }, "constructor"],
  ])("when one is wrong, as in %j, then it is refused by its name", (raw, field) => {
    expect(refusedField(raw)).toBe(field);
  });

  it("when a field is not known, then the nearest one is named", () => {
    expect(decodeInput(FIELDS, { target: "a", limits: 3 })).toMatchObject({ next: "Did you mean limit?" });
  });
});

it("only a field that is optional may be left out", () => {
  const bounds = { min: 1, max: 10 };
  const raw = { limit: 11 };
  expect(decodeInput({ limit: integer(bounds) }, raw)).toMatchObject({ next: "Give limit within these bounds." });
  expect(decodeInput({ limit: optional(integer(bounds)) }, raw)).toMatchObject({
    next: "Give limit within these bounds, or leave it out.",
  });
});

it("the schema tells callers the same: names of the wire, what is required, and nothing else", () => {
  expect(schemaOf(FIELDS)).toEqual({
    type: "object",
    properties: {
      target_agent_id: { type: "string", description: "its recipient" },
      limit: { type: "integer" },
      mode: { type: "string", enum: ["soft", "hard"] },
      force: { type: "boolean" },
      reason: { type: "string" },
    },
    required: ["target_agent_id"],
    additionalProperties: false,
  });
});

describe("given fields that are not like the others", () => {
  const fields = {
    handoff: shaped<unknown>({ type: "object" }, (_name, raw) => raw),
    forced: unlisted(flag()),
  };

  it("when a rule judges a field, then a value that is missing is the rule's to refuse", () => {
    expect(decodeInput(fields, {})).toEqual({});
    expect(schemaOf(fields)).toMatchObject({ required: ["handoff"] });
  });

  it("when a field is unlisted, then it is accepted and in no schema", () => {
    expect(decodeInput(fields, { handoff: 1, forced: true })).toEqual({ handoff: 1, forced: true });
    expect(decodeInput(fields, { forced: 1 })).toMatchObject({ error: "invalid_input", facts: { field: "forced" } });
    expect(schemaOf(fields)).toMatchObject({ properties: { handoff: { type: "object" } } });
    expect(JSON.stringify(schemaOf(fields))).not.toContain("forced");
  });
});
