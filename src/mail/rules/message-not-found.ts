import { type Refusal, refuse } from "../../core/refusal.ts";

export function messageNotFound(messageId: string): Refusal<"message_not_found"> {
  return refuse(
    "message_not_found",
    `There is no message ${JSON.stringify(messageId)}.`,
    "Give the message_id as it was shown, or at least its first four characters.",
  );
}
