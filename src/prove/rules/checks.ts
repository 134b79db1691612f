/**
 * What `tt doctor --prove` proves about a harness. A run of the real program leaves evidence, and each check judges it.
 * Nothing here knows how a write is refused: the installed hooks decide, and the check sees only what came of it.
 */

/** A message that was sent to the session. `problem`: why it could not be sent. */
export interface MessageTry {
  readonly problem: string | null;
  /** Whether a request to the model had its text. */
  readonly seen: boolean;
}

/** A write that the model tried while another member held the stick. */
export interface WriteTry {
  readonly written: boolean;
  /** What the model was told about it. */
  readonly answer: string;
}

/** What a run has shown so far. Null: the run has not come that far. */
export interface ProofEvidence {
  /** What the run was doing last, such as "waiting for the first request". */
  readonly stage: string;
  /** Why the run ended early. */
  readonly failure: string | null;
  readonly message: MessageTry | null;
  readonly edit: WriteTry | null;
  readonly shell: WriteTry | null;
  /** A text if the harness has no way to be woken without its terminal. */
  readonly wake: MessageTry | string | null;
}

export const NO_PROOF_EVIDENCE: ProofEvidence = {
  stage: "starting",
  failure: null,
  message: null,
  edit: null,
  shell: null,
  wake: null,
};

export type CheckOutcome = "proven" | "not_proven" | "not_available";

export interface CheckResult {
  readonly check: CheckName;
  readonly outcome: CheckOutcome;
  readonly why: string | null;
}

export type CheckName = "message" | "edit" | "shell" | "wake";

interface Check {
  readonly name: CheckName;
  /** What is proven, as a person reads it. */
  readonly title: string;
  /** Null if the evidence does not reach so far. */
  readonly judge: (evidence: ProofEvidence) => Omit<CheckResult, "check"> | null;
}

export const CHECKS: readonly Check[] = [
  {
    name: "message",
    title: "a message reaches the model",
    judge: ({ message }) => message && judgeDelivery(message, "no request to the model had the message"),
  },
  {
    name: "edit",
    title: "an edit without the stick is refused",
    judge: ({ edit }) => edit && judgeWrite(edit),
  },
  {
    name: "shell",
    title: "a shell write without the stick is refused",
    judge: ({ shell }) => shell && judgeWrite(shell),
  },
  {
    name: "wake",
    title: "a wake starts a turn",
    judge: ({ wake }) =>
      typeof wake === "string"
        ? { outcome: "not_available", why: wake }
        : wake && judgeDelivery(wake, "the message started no turn"),
  },
];

export function judgeChecks(evidence: ProofEvidence): readonly CheckResult[] {
  const failure = evidence.failure ?? `the run ended while ${evidence.stage}`;
  return CHECKS.map(({ name, judge }) => ({ check: name, ...(judge(evidence) ?? notProven(failure)) }));
}

function judgeDelivery({ problem, seen }: MessageTry, unseen: string): Omit<CheckResult, "check"> {
  if (problem !== null) return notProven(problem);
  return seen ? PROVEN : notProven(unseen);
}

/** Every reason that the guard gives has these words. A write may fail for reasons of the harness, too. */
const REFUSED = /nothing was written/i;
const MOST_OF_ANSWER = 200;

function judgeWrite({ written, answer }: WriteTry): Omit<CheckResult, "check"> {
  if (written) return notProven("the write was not refused");
  if (REFUSED.test(answer)) return PROVEN;
  return notProven(`the write failed for another reason: ${answer.replace(/\s+/g, " ").slice(0, MOST_OF_ANSWER)}`);
}

const PROVEN = { outcome: "proven", why: null } as const;

function notProven(why: string): Omit<CheckResult, "check"> {
  return { outcome: "not_proven", why };
}
