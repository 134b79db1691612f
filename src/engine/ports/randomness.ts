/** Random ids, long enough never to meet again and to be secrets. */
export interface Randomness {
  id(): string;
}
