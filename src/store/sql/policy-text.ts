/** A room's policy as its text, which is read and written with every change of the room and hardly ever another one. */
import type { Policy } from "../../core/policy.ts";
import { type Decoder, json, remembering } from "./decode.ts";
import { policy } from "./documents.ts";
import { toStoredJson } from "./json.ts";

const decoded = remembering(json(policy));

/** Values are never altered, so the text that one was read from stays its text. */
const texts = new WeakMap<Policy, string>();

export const policyIn: Decoder<Policy> = (value, place) => {
  const read = decoded(value, place);
  if (typeof value === "string") texts.set(read, value);
  return read;
};

export function policyText(written: Policy): string {
  const known = texts.get(written) ?? toStoredJson(written);
  texts.set(written, known);
  return known;
}
