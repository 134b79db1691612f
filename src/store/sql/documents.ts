/** The JSON documents in the store: policy, handoff, process, card and the payload of each event. */
import type { EventPayloads, EventType, MessagePayload, StateCard } from "../../core/event.ts";
import { ARTIFACT_ROLES, type Artifact, type Handoff, type HandoffEvidence } from "../../core/handoff.ts";
import type { AgentId, Handle, NoteId } from "../../core/ids.ts";
import { POLICY_KEYS, type Policy } from "../../core/policy.ts";
import type { ProcessRef } from "../../core/process.ts";
import { type Codec, corrupt, idOf, list, nullable, oneOf, optional, shape, text, truth, whole } from "./codec.ts";

type PolicyFields = { readonly [Key in keyof Policy]: Codec<number> };

const policyFields = (decode: Codec<number>) =>
  Object.fromEntries(POLICY_KEYS.map((key) => [key, decode])) as PolicyFields;

export const policy = shape<Policy>(policyFields(whole));

/** Rarely required, so created on demand. */
const somePolicy: Codec<Partial<Policy>> = (value, place) =>
  shape<Partial<Policy>>(policyFields(optional(whole)))(value, place);

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
});

export const handoff = shape<Handoff>({
  status: text,
  nextAction: text,
  artifacts: optional(list(artifact)),
  openQuestions: optional(list(text)),
  doNot: optional(list(text)),
  evidence: optional(handoffEvidence),
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
  claim: shape({ reason: oneOf(["direct_pass", "sequence", "open_claim"]), gitHead: nullable(text) }),
  release: shape({ reservedFor: nullable(agentId), givenUp: optional(truth) }),
  pass: shape({ operatorRequested: truth }),
  takeover: shape({
    revokedAgentId: agentId,
    ground: oneOf(["owner_gone", "owner_timeout", "operator_requested"]),
    gitHead: nullable(text),
  }),
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
  foreign_write: shape({ paths: list(text) }),
});
