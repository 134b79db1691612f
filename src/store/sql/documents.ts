/** The JSON documents in the store: policy, handoff, process, card and the payload of each event. */
import {
  type AttachedEvidence,
  type EventPayloads,
  type EventType,
  type ForeignWrite,
  type MessagePayload,
  type StateCard,
  WRITE_EVIDENCE,
} from "../../core/event.ts";
import {
  ARTIFACT_ROLES,
  type Artifact,
  type ChangedInTurn,
  type Check,
  type Handoff,
  type HandoffEvidence,
} from "../../core/handoff.ts";
import type { AgentId, Handle, NoteId } from "../../core/ids.ts";
import {
  DEFAULT_POLICY,
  isChoiceKey,
  POLICY_CHOICES,
  POLICY_KEYS,
  type Policy,
  type PolicyKey,
} from "../../core/policy.ts";
import type { ProcessRef } from "../../core/process.ts";
import { type Codec, corrupt, idOf, list, nullable, oneOf, optional, shape, text, truth, whole } from "./codec.ts";

type PolicyCodec = Codec<string | number>;
type PolicyFields = { readonly [Key in PolicyKey]: Codec<Policy[Key]> };

const policyFields = (as: (codec: PolicyCodec, key: PolicyKey) => PolicyCodec) =>
  Object.fromEntries(POLICY_KEYS.map((key) => [key, as(isChoiceKey(key) ? oneOf(POLICY_CHOICES[key]) : whole, key)]));

/** Rooms that an older build created lack the values that came later. */
const orDefault = (codec: PolicyCodec, key: PolicyKey): PolicyCodec => {
  const byDefault = LATER_KEYS.has(key) ? DEFAULT_POLICY[key] : undefined;
  return (value, place) => codec(value === undefined ? byDefault : value, place);
};

const LATER_KEYS: ReadonlySet<PolicyKey> = new Set<PolicyKey>([
  "guard",
  "record",
  "snapshotMaxMs",
  "recordMaxBytes",
  "recordKeepDays",
]);

export const policy = shape<Policy>(policyFields(orDefault) as unknown as PolicyFields);

/** Rarely required, so created on demand. */
const somePolicy: Codec<Partial<Policy>> = (value, place) =>
  shape<Partial<Policy>>(policyFields(optional) as unknown as PolicyFields)(value, place);

const agentId = idOf<AgentId>();
const noteId = idOf<NoteId>();

export const processRef = shape<ProcessRef>({
  host: text,
  bootId: text,
  pidNamespace: text,
  pid: whole,
  startTicks: text,
});

export const stateCard = shape<StateCard>({
  purpose: text,
  files: optional(list(text)),
  blockedOn: optional(text),
});

const lineRange: Codec<readonly [number, number]> = (value, place) => {
  const [from, to, ...more] = list(whole)(value, place);
  if (from === undefined || to === undefined || more.length > 0) throw corrupt(place, "is not a range of lines");
  return [from, to];
};

const artifact = shape<Artifact>({
  path: text,
  lines: optional(lineRange),
  role: optional(oneOf(ARTIFACT_ROLES)),
  note: optional(text),
});

const handoffEvidence = shape<HandoffEvidence>({
  head: nullable(text),
  branch: nullable(text),
  dirty: nullable(truth),
  untracked: optional(nullable(whole)),
  diffStat: nullable(text),
  tree: optional(text),
  changed: optional(
    shape<ChangedInTurn>({
      files: list(shape({ path: text, added: nullable(whole), removed: nullable(whole) })),
      more: whole,
    }),
  ),
  pendingUntil: optional(text),
});

export const attachedEvidence = shape<AttachedEvidence>({ handoffSeq: whole, evidence: handoffEvidence });

export const check = shape<Check>({
  command: text,
  exitCode: whole,
  durationMs: whole,
  outputDigest: text,
  tree: nullable(text),
});

export const handoff = shape<Handoff>({
  status: text,
  nextAction: text,
  artifacts: optional(list(artifact)),
  openQuestions: optional(list(text)),
  doNot: optional(list(text)),
  evidence: optional(handoffEvidence),
  checks: optional(list(check)),
});

const message = () =>
  shape<MessagePayload>({
    body: text,
    bodyBytes: whole,
    origin: oneOf(["peer", "human", "system"]),
    fromSessionId: optional(text),
    deliveryHint: oneOf(["normal", "interrupt"]),
    kind: optional(text),
    requestId: optional(text),
    replyTo: optional(text),
    sourceMessageId: optional(text),
    msgId: optional(text),
    createdAtSecs: optional(whole),
    chainId: text,
    hops: whole,
  });

type PayloadDecoders = { readonly [Type in EventType]: Codec<EventPayloads[Type]> };

let payloads: PayloadDecoders | null = null;

/** Created when the first event is read: most commands read none. */
export function payloadOf<Type extends EventType>(type: Type): PayloadDecoders[Type] {
  payloads ??= makePayloads();
  return payloads[type];
}

const makePayloads = (): PayloadDecoders => ({
  claim: shape({ reason: oneOf(["direct_pass", "given", "sequence", "open_claim"]), gitHead: nullable(text) }),
  release: shape({ reservedFor: nullable(agentId), givenUp: optional(truth) }),
  pass: shape({ operatorRequested: truth }),
  takeover: shape({
    revokedAgentId: agentId,
    ground: oneOf(["owner_gone", "host_silent", "owner_timeout", "operator_requested"]),
    gitHead: nullable(text),
  }),
  given: shape({ revokedAgentId: nullable(agentId) }),
  paused: shape({}),
  resumed: shape({ reservedFor: nullable(agentId) }),
  close: shape({ revokedAgentId: nullable(agentId) }),
  reopen: shape({}),
  kick: shape({ force: truth, targetWasOwner: truth, targetWasReservedFor: truth, reservedFor: nullable(agentId) }),
  member_joined: shape({ reason: oneOf(["first", "returned"]), harness: text, handle: idOf<Handle>() }),
  member_left: shape({
    reason: oneOf(["left", "session_ended", "process_gone", "expired"]),
    wasOwner: truth,
    wasReservedFor: truth,
    reservedFor: nullable(agentId),
  }),
  reservation_expired: shape({
    cause: oneOf(["timeout", "recipient_gone", "given_up"]),
    reservedFor: nullable(agentId),
  }),
  policy_changed: shape({ changes: somePolicy }),
  message_sent: message(),
  note_added: shape({ noteId, turnId: nullable(whole), preview: text, body: text }),
  note_resolved: shape({ noteId }),
  state_changed: shape({ card: stateCard }),
  session_superseded: shape({ supersededAgentId: agentId }),
  foreign_write: shape<ForeignWrite>({
    paths: list(text),
    more: whole,
    evidence: oneOf(WRITE_EVIDENCE),
    tool: optional(text),
    duringTurn: nullable(whole),
    nearby: optional(list(agentId)),
  }),
  check_run: check,
  evidence_attached: attachedEvidence,
});
