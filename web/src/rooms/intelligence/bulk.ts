// One answer to many recommendations.
import { asProblem } from '../../api/problem';

/** States in which a recommendation can be dismissed, snoozed or applied. */
export const ANSWERABLE = ['open', 'snoozed', 'scheduled', 'approved'];

export interface Refusal {
  id: string;
  title: string;
  /** The service's reason. */
  message: string;
}

/** Requests that are on their way at the same time. */
const AT_ONCE = 4;

/** Sends an answer for each item; failures are collected, and stop none of the others. `onDone` gets the number of items that were answered. */
export async function answerEach(
  items: { id: string; title: string }[],
  answer: (id: string) => Promise<unknown>,
  onDone: (done: number) => void = () => undefined,
  atOnce = AT_ONCE,
): Promise<Refusal[]> {
  const refused: Refusal[] = [];
  let [next, done] = [0, 0];
  const worker = async () => {
    for (let item = items[next++]; item; item = items[next++]) {
      const { id, title } = item;
      await answer(id).catch((error: unknown) => {
        const problem = asProblem(error);
        refused.push({ id, title, message: problem.detail || problem.title });
      });
      onDone(++done);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return refused;
}
