import { asAgentId } from "../../core/ids.ts";
import type { Caller } from "./decision-input.ts";

/** Stands for a reader without an identity. It is never a member, so no rule can give it anything. */
export const OBSERVER: Caller = {
  agentId: asAgentId("observer:none"),
  harness: "observer",
  isPerson: false,
  process: null,
  sessionId: null,
  formerId: null,
  tmuxPane: null,
};
