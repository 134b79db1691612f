/** What kept results say about the harness that is installed now. */
import { expect, it } from "vitest";
import type { CheckName } from "../../src/prove/rules/checks.ts";
import { type HarnessProof, protectionOf, protectionWords, provenWords } from "../../src/prove/rules/protection.ts";

const NOW = { ttVersion: "1.2.3", program: "/bin/claude:1:2:3" };
const NAMES: readonly CheckName[] = ["message", "edit", "shell", "wake"];

function proofOf(...proven: readonly CheckName[]): HarnessProof {
  const checks = NAMES.map((check) =>
    proven.includes(check)
      ? ({ check, outcome: "proven", why: null } as const)
      : ({ check, outcome: "not_proven", why: `no ${check}` } as const),
  );
  return {
    harness: "claude",
    version: "2.1.325",
    ttVersion: NOW.ttVersion,
    program: NOW.program,
    provenAt: "2026-01-02T03:04:05.000Z",
    isolated: true,
    checks,
  };
}

const words = (proof: HarnessProof | null, now = NOW) => protectionWords(protectionOf(proof, now));

it("a harness is guarded if both ways to write are refused, with or without a wake", () => {
  expect(words(proofOf("message", "edit", "shell", "wake"))).toBe("guarded");
  expect(words(proofOf("message", "edit", "shell"))).toBe("guarded");
});

it("a harness that refuses one way to write is partly guarded, and the hole is named", () => {
  expect(words(proofOf("message", "edit"))).toBe("partly: writes of its shell are not refused");
  expect(words(proofOf("message", "shell"))).toBe("partly: writes of its edit tool are not refused");
});

it("a harness that only shows messages is advisory, and one that does not even do that is not proven", () => {
  expect(words(proofOf("message", "wake"))).toBe("advisory");
  expect(words(proofOf("wake"))).toBe("not proven: no edit");
});

it("a proof counts only for the versions that it was made with", () => {
  const proof = proofOf(...NAMES);
  expect(words(null)).toBe("not proven");
  expect(words(proof, { ...NOW, ttVersion: "1.2.4" })).toBe(
    "not proven: proven with tt 1.2.3 and not for this version",
  );
  expect(words(proof, { ...NOW, program: "/bin/claude:9:2:3" })).toBe(
    "not proven: proven with its version 2.1.325 and not for this version",
  );
});

it("what was proven is told with the version and the day, and what does not count any more without", () => {
  const proof = proofOf(...NAMES);
  const told = (now: typeof NOW) => provenWords({ proof, protection: protectionOf(proof, now) });
  expect(told(NOW)).toBe("guarded (2.1.325, 2026-01-02)");
  expect(told({ ...NOW, ttVersion: "1.2.4" })).toBe("not proven: proven with tt 1.2.3 and not for this version");
  expect(provenWords({ proof: null, protection: protectionOf(null, NOW) })).toBe("not proven");
});
