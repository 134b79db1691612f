/** A handoff from flags, or as JSON on standard input. Nothing is filled in for the caller. */
import type { RawInput } from "../../core/field.ts";
import { ARTIFACT_ROLES, type Artifact, isFilled } from "../../core/handoff.ts";
import { isOwnRefusal, isRefusal, type Refusal, refuse } from "../../core/refusal.ts";
import type { Arguments, Flag } from "./command.ts";
import type { CliContext } from "./context.ts";
import { UsageError } from "./usage-error.ts";

export const HANDOFF_FLAGS: Readonly<Record<string, Flag>> = {
  status: { kind: "text", value: "TEXT", help: "what is true now (required)" },
  "next-action": { kind: "text", value: "TEXT", help: "what the next holder should do first (required)" },
  artifact: {
    kind: "list",
    value: "PATH[:A-B][:ROLE]",
    help: `a file that matters; roles ${ARTIFACT_ROLES.join(", ")}`,
  },
  question: { kind: "list", value: "TEXT", help: "what you could not decide" },
  "do-not": { kind: "list", value: "TEXT", help: "what must not be touched" },
  stdin: { kind: "boolean", help: "read the whole handoff as JSON from standard input" },
};

const MAX_INPUT_BYTES = 1_048_576;
const BYTE_ORDER_MARK = /^\ufeff/;

/** Blanks between the fields let it be wrapped. */
const HANDOFF_FORM =
  '{"status": "…", "next_action": "…", "artifacts": [{"path": "…"}], "open_questions": [], "do_not": []}';

export const HANDOFF_EXAMPLE = 'tt release --status "parser done" --next-action "write the tests"';

export async function gatherHandoff(context: CliContext, args: Arguments): Promise<RawInput | Refusal> {
  const handoff = args.isSet("stdin") ? await handoffFromInput(context) : handoffFromFlags(args);
  return isOwnRefusal(handoff) ? handoff : { handoff };
}

function handoffFromFlags(args: Arguments) {
  const artifacts = args.list("artifact").map(parseArtifact);
  const openQuestions = args.list("question");
  const doNot = args.list("do-not");
  return {
    status: args.text("status"),
    nextAction: args.text("next-action"),
    ...(artifacts.length > 0 && { artifacts }),
    ...(openQuestions.length > 0 && { openQuestions }),
    ...(doNot.length > 0 && { doNot }),
  };
}

/** A holder that gave no handoff is shown how to give one. */
export function withoutHandoff(refusal: Refusal, args: Arguments): Refusal {
  const missing = ["status", "next-action"].find((flag) => !isFilled(args.text(flag)));
  if (refusal.error !== "invalid_handoff" || args.isSet("stdin") || missing === undefined) return refusal;
  return refuse(
    "invalid_handoff",
    "The stick moves on only with a handoff: what is true now, and what comes next.",
    'For example: --status "parser done" --next-action "write the tests", or as JSON with --stdin.',
    { field: missing.replace("-", "_"), template: HANDOFF_FORM },
  );
}

async function handoffFromInput(context: CliContext): Promise<unknown> {
  const { args } = context;
  const given = Object.keys(HANDOFF_FLAGS).find((flag) => args.text(flag) !== undefined || args.list(flag).length > 0);
  if (given !== undefined) {
    throw new UsageError(`--stdin and --${given} exclude each other.`, "Use one of them.");
  }
  const text = await context.ports.readInput(MAX_INPUT_BYTES);
  if (isRefusal(text)) return text;
  try {
    return JSON.parse(text.replace(BYTE_ORDER_MARK, ""));
  } catch (error) {
    return refuse(
      "invalid_handoff",
      `Standard input is not JSON: ${error instanceof Error ? error.message : String(error)}.`,
      'Give one object such as {"status":"…","next_action":"…"}.',
      { field: "stdin" },
    );
  }
}

/**
 * `docs/a.md:10-20:review`; a path may hold colons itself, so the parts are read from the end. A word behind lines is a
 * role, even an unknown one: the handoff's own rules refuse it.
 */
export function parseArtifact(text: string): Omit<Artifact, "role"> & { readonly role?: string } {
  const role =
    ARTIFACT_ROLES.find((candidate) => text.endsWith(`:${candidate}`)) ?? /:\d+(?:-\d+)?:([a-z_]+)$/i.exec(text)?.[1];
  const path = role ? text.slice(0, -role.length - 1) : text;
  if (/^(?::\d+(?:-\d+)?)?$/.test(path))
    throw new UsageError(
      `--artifact ${JSON.stringify(text)} names no file.`,
      "For example: --artifact src/a.ts:1-40:review",
    );
  const range = /^(.+):(\d+)(?:-(\d+))?$/.exec(path);
  if (!range) return { path, ...(role && { role }) };
  const [, file = "", from = "", to = from] = range;
  return { path: file, lines: [Number(from), Number(to)], ...(role && { role }) };
}
