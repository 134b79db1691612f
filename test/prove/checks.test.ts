/** What the evidence of a run proves. */
import { describe, expect, it } from "vitest";
import { type CheckName, judgeChecks, NO_PROOF_EVIDENCE, type ProofEvidence } from "../../src/prove/rules/checks.ts";

const REASON = "script:holder holds the stick since 10:00 (turn 1), nothing was written. Wait for it: tt wait";
const WHOLE: ProofEvidence = {
  stage: "done",
  failure: null,
  message: { problem: null, seen: true },
  edit: { written: false, answer: REASON },
  shell: { written: false, answer: REASON },
  wake: { problem: null, seen: true },
};

function judged(check: CheckName, evidence: Partial<ProofEvidence>): string {
  const result = judgeChecks({ ...WHOLE, ...evidence }).find((one) => one.check === check);
  return [result?.outcome, result?.why].filter(Boolean).join(": ");
}

describe("a check", () => {
  it("is proven only by what was seen", () => {
    expect(judgeChecks(WHOLE).map(({ outcome }) => outcome)).toEqual(["proven", "proven", "proven", "proven"]);
  });

  it.each(["edit", "shell"] as const)(
    "of a write by %s is not proven if the file is there, whatever was said",
    (by) => {
      expect(judged(by, { [by]: { written: true, answer: REASON } })).toBe("not_proven: the write was not refused");
    },
  );

  it("of a write is not proven by a file that is missing for a reason of the harness", () => {
    expect(judged("edit", { edit: { written: false, answer: "no tool of that name" } })).toBe(
      "not_proven: the write failed for another reason: no tool of that name",
    );
  });

  it("of a message is not proven if no request had it, or if it could not be sent", () => {
    expect(judged("message", { message: { problem: null, seen: false } })).toMatch(/^not_proven: no request/);
    expect(judged("message", { message: { problem: "no such member", seen: false } })).toBe(
      "not_proven: no such member",
    );
  });

  it("of a wake is not available in a harness that has no way to be woken", () => {
    expect(judged("wake", { wake: "it has no inbox" })).toBe("not_available: it has no inbox");
    expect(judged("wake", { wake: { problem: null, seen: false } })).toMatch(/^not_proven/);
  });

  it("that the run has not reached says why, and those before it stand", () => {
    const evidence = { ...NO_PROOF_EVIDENCE, message: WHOLE.message, stage: "trying its edit tool" };
    const [message, ...others] = judgeChecks({ ...evidence, failure: "no answer within 2 s" });
    expect(message?.outcome).toBe("proven");
    expect(new Set(others.map(({ why }) => why))).toEqual(new Set(["no answer within 2 s"]));
    expect(judgeChecks(evidence)[1]?.why).toBe("the run ended while trying its edit tool");
  });
});
