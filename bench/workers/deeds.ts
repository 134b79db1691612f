/** The mixture of operations of the row "hot". Every agent, and every process of the least program, goes round it. */
export type Deed = "send" | "take" | "turn" | "read" | "reopen";

const MIXTURE: readonly Deed[] = ["send", "take", "turn", "read", "send", "take", "turn", "send", "take", "reopen"];

export function deedAt(index: number): Deed {
  return MIXTURE[index % MIXTURE.length] ?? "read";
}
