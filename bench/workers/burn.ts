/** Keeps one core busy for a while. */
import { nowUs } from "../marks.ts";
import { serve } from "./serve.ts";

const burn = {
  async burn({ forMs }: { readonly forMs: number }): Promise<void> {
    const until = nowUs() + forMs * 1000;
    while (nowUs() < until);
  },
};

export type Burn = typeof burn;

serve(burn);
