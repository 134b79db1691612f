/**
 * The handoff: what one holder tells the next.
 *
 * `status` and `nextAction` are the caller's own words; nothing here ever fills them in. `evidence` is what
 * the service could verify by itself. A handoff is decoded strictly: an unknown or misshapen field is
 * refused by name, because a silently dropped field is a lost instruction.
 */
import { type Field, shaped, text as textField } from "./field.ts";
import { toSnakeCase, withCamelKeys } from "./letter-case.ts";
import { LIMITS, utf8Length } from "./limits.ts";
import { invalidInput, type Refusal, refuse } from "./refusal.ts";
import { shortened } from "./visible.ts";

export const ARTIFACT_ROLES = ["examine", "review", "edit", "context", "output"] as const;
export type ArtifactRole = (typeof ARTIFACT_ROLES)[number];

export interface Artifact {
  readonly path: string;
  readonly lines?: readonly [number, number];
  readonly role?: ArtifactRole;
  readonly note?: string;
}

export interface CheckedOut {
  /** The commit. */
  readonly head: string | null;
  readonly branch: string | null;
}

/** What the working tree looked like when the turn ended, seen by us and not claimed by the caller. */
export interface HandoffEvidence extends CheckedOut {
  readonly dirty: boolean | null;
  /** How many files git does not track, a directory of them counted once. Handoffs stored before lack it. */
  readonly untracked?: number | null;
  readonly diffStat: string | null;
  /** The snapshot of the tree in the turn record, if there is one. */
  readonly tree?: string;
  /** What the turn changed, by the turn record. */
  readonly changed?: ChangedInTurn;
  /**
   * The program that ended the turn still asks git, so only head and branch are known yet. If nothing has come by this
   * time, nothing comes: that program was stopped, or could not write.
   */
  readonly pendingUntil?: string;
}

export interface ChangedInTurn {
  /** At most 50, each with its lines added and removed; null for a binary file. */
  readonly files: readonly { readonly path: string; readonly added: number | null; readonly removed: number | null }[];
  /** How many further ones there are. */
  readonly more: number;
}

/** A command that the holder ran with `tt check`, as we saw it end. */
export interface Check {
  readonly command: string;
  readonly exitCode: number;
  readonly durationMs: number;
  /** The SHA-256 of what it printed. */
  readonly outputDigest: string;
  /** The snapshot of the tree that it ran on, if there is one. */
  readonly tree: string | null;
}

export interface Handoff {
  readonly status: string;
  readonly nextAction: string;
  readonly artifacts?: readonly Artifact[];
  readonly openQuestions?: readonly string[];
  readonly doNot?: readonly string[];
  readonly evidence?: HandoffEvidence;
  /** The checks of the turn, the oldest first. We add them; the caller cannot. */
  readonly checks?: readonly Check[];
}

/** Shown to a session when it joins, so that no agent has to guess the shape. */
export const HANDOFF_TEMPLATE = {
  status: "what is true now",
  nextAction: "the first thing the next holder should do",
  artifacts: [{ path: "src/file.ts", lines: [1, 20], role: "review", note: "why it matters" }],
  openQuestions: ["what you could not decide"],
  doNot: ["what must not be touched, and why"],
} as const;

const TEXTS = { type: "array", items: { type: "string" } };

/** Decoded by the rules, after they have judged who holds the stick: the room's policy caps it. */
export const handoffField = shaped<unknown>(
  {
    type: "object",
    properties: {
      status: { type: "string", description: "what is true now" },
      next_action: { type: "string", description: "what comes next" },
      artifacts: {
        type: "array",
        items: {
          anyOf: [
            { type: "string" },
            {
              type: "object",
              properties: {
                path: { type: "string" },
                lines: { minItems: 2, maxItems: 2, type: "array", items: { type: "number" } },
                role: { type: "string", enum: ARTIFACT_ROLES },
                note: { type: "string" },
              },
              required: ["path"],
            },
          ],
        },
      },
      open_questions: TEXTS,
      do_not: TEXTS,
    },
    required: ["status", "next_action"],
  },
  (_name, raw) => withCamelKeys(raw),
);

const FIELDS = new Set(["status", "nextAction", "artifacts", "openQuestions", "doNot"]);
const ARTIFACT_FIELDS = new Set(["path", "lines", "role", "note"]);

/** The fields of a type before anything about them is proven. */
type Unproven<T> = { readonly [Key in keyof T]?: unknown };

type HandoffRefusal = "invalid_handoff" | "handoff_too_large";

type Decoded<T> = { readonly value: T } | { readonly refusal: Refusal<HandoffRefusal> };

export function decodeHandoff(input: unknown, maxBytes: number): Handoff | Refusal<HandoffRefusal> {
  if (!isObject(input)) return invalid("handoff", "is not an object");
  const unknown = Object.keys(input).find((key) => !FIELDS.has(key));
  if (unknown !== undefined) return invalidUnknown(toSnakeCase(unknown), "a handoff");
  const { status, nextAction, ...lists }: Unproven<Handoff> = input;
  if (!isFilled(status)) {
    return invalid("status", "must say in words what is true now", ', such as "the parser reads all of the old files"');
  }
  if (!isFilled(nextAction)) {
    return invalid("next_action", "must say in words what comes next", ', such as "write its tests"');
  }
  const artifacts = decodeArtifacts(lists.artifacts);
  if ("refusal" in artifacts) return artifacts.refusal;
  const openQuestions = decodeTexts("open_questions", lists.openQuestions);
  if ("refusal" in openQuestions) return openQuestions.refusal;
  const doNot = decodeTexts("do_not", lists.doNot);
  if ("refusal" in doNot) return doNot.refusal;

  const handoff: Handoff = {
    status,
    nextAction,
    ...(artifacts.value && { artifacts: artifacts.value }),
    ...(openQuestions.value && { openQuestions: openQuestions.value }),
    ...(doNot.value && { doNot: doNot.value }),
  };
  return withinLimit(handoff, maxBytes);
}

function withinLimit(handoff: Handoff, limit: number): Handoff | Refusal<HandoffRefusal> {
  const supplied = utf8Length(JSON.stringify(handoff));
  if (supplied <= limit) return handoff;
  return refuse(
    "handoff_too_large",
    `The handoff has ${supplied} bytes; this room allows ${limit}.`,
    "Put the long parts into files or notes and name them as artifacts.",
    { supplied, limit },
  );
}

function decodeArtifacts(input: unknown): Decoded<readonly Artifact[] | undefined> {
  if (input === undefined) return { value: undefined };
  if (!Array.isArray(input)) return wrong("artifacts", "is not a list");
  const artifacts: Artifact[] = [];
  for (const [index, item] of input.entries()) {
    const decoded = decodeArtifact(`artifacts[${index}]`, item);
    if ("refusal" in decoded) return decoded;
    artifacts.push(decoded.value);
  }
  return { value: artifacts };
}

function decodeArtifact(field: string, input: unknown): Decoded<Artifact> {
  if (typeof input === "string") return decodeArtifact(field, { path: input });
  if (!isObject(input)) return wrong(field, "is neither a path nor an object");
  const unknown = Object.keys(input).find((key) => !ARTIFACT_FIELDS.has(key));
  if (unknown !== undefined) return { refusal: invalidUnknown(`${field}.${toSnakeCase(unknown)}`, "an artifact") };
  const { path, lines, role, note }: Unproven<Artifact> = input;
  if (!isNotBlank(path)) return wrong(`${field}.path`, "must name a file");
  if (lines !== undefined && !isLineRange(lines)) {
    return wrong(`${field}.lines`, "must be two line numbers [from, to], from 1 and in order");
  }
  if (role !== undefined && !isRole(role)) {
    return wrong(`${field}.role`, `must be one of ${ARTIFACT_ROLES.join(", ")}`);
  }
  if (note !== undefined && typeof note !== "string") return wrong(`${field}.note`, "is not text");
  return {
    value: {
      path,
      ...(lines !== undefined && { lines }),
      ...(role !== undefined && { role }),
      ...(note !== undefined && { note }),
    },
  };
}

function decodeTexts(field: string, input: unknown): Decoded<readonly string[] | undefined> {
  if (input === undefined) return { value: undefined };
  if (!Array.isArray(input)) return wrong(field, "is not a list");
  const texts: string[] = [];
  for (const [index, item] of input.entries()) {
    if (!isNotBlank(item)) return wrong(`${field}[${index}]`, "must be text that is not blank");
    texts.push(item);
  }
  return { value: texts };
}

function isLineRange(value: unknown): value is readonly [number, number] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [from, to] = value;
  return Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 1 && from <= to;
}

function isRole(value: unknown): value is ArtifactRole {
  return ARTIFACT_ROLES.includes(value as ArtifactRole);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Words that our own hints print where the caller's words belong. A caller that copies one has said nothing. */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  "…",
  "...",
  "STATUS",
  "NEXT",
  "NEXT_ACTION",
  "WHY",
  "TEXT",
  HANDOFF_TEMPLATE.status,
  HANDOFF_TEMPLATE.nextAction,
]);

/** Whether a text has words of the caller's own. */
export function isFilled(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const text = value.trim();
  return text !== "" && !PLACEHOLDERS.has(text);
}

/** Why something is done. What our own hints print in its place is no reason. */
export function reasonField(about = ""): Field<string, true> {
  const of = textField(LIMITS.reasonCharacters, about);
  return {
    ...of,
    decode(name, raw) {
      const said = of.decode(name, raw);
      if (typeof said !== "string" || said.trim() === "" || isFilled(said)) return said;
      return invalidInput(name, `${name} is a place for your own words.`, "Say why, or leave it out.");
    },
  };
}

function isNotBlank(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function invalid(field: string, problem: string, example = ""): Refusal<"invalid_handoff"> {
  return refuse(
    "invalid_handoff",
    `The handoff field ${field} ${problem}.`,
    `Give the handoff again with a correct ${field}${example}; the stick stays with you until then.`,
    { field },
  );
}

/** An unknown field is refused: dropping it silently would lose an instruction. */
function invalidUnknown(field: string, whose: string): Refusal<"invalid_handoff"> {
  const name = shortened(field);
  return refuse(
    "invalid_handoff",
    `${name} is not a field of ${whose}.`,
    `Leave ${name} out, or say it in one of ${[...FIELDS].map(toSnakeCase).join(", ")}; the stick stays with you until then.`,
    { field: name },
  );
}

function wrong(field: string, problem: string): { refusal: Refusal<"invalid_handoff"> } {
  return { refusal: invalid(field, problem) };
}
