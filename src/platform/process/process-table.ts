/** What can be seen of a process by its number alone. */
export type Sighting =
  | { readonly seen: "running"; readonly startTicks: string; readonly isStopped?: true }
  | { readonly seen: "nothing" }
  /** It may be there, but not for our eyes. */
  | { readonly seen: "hidden" };

export interface ProcessTable {
  /** The pid namespace whose numbers this table shows. */
  readonly pidNamespace: string;
  look(pid: number): Sighting;
  /** When this very process started; "" if the machine will not tell. */
  ownStartTicks(): string;
}
