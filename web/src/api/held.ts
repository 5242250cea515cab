// Changes that are held back for some seconds before they are sent, so that a person can take them back. Where the service cannot undo
// a change, this is the only undo there is. A page that is left, and signing out, send what is held.

/** Time for which a change can be taken back, milliseconds. */
export const HELD_MS = 10_000;

/** `leaving` is true where the page goes away: everything must be on its way at once. */
type Send = (leaving: boolean) => Promise<unknown>;

const held = new Set<Send>();

/** Sends a change after a while, once. Returns the function that takes it back; it returns `false` once the change was sent. */
export function hold(send: Send): () => boolean {
  const once: Send = (leaving) => {
    clearTimeout(timer);
    return held.delete(once) ? send(leaving) : Promise.resolve();
  };
  const timer = setTimeout(() => void once(false), HELD_MS);
  held.add(once);
  return () => {
    clearTimeout(timer);
    return held.delete(once);
  };
}

/** Sends everything that is held. */
export async function sendHeld(): Promise<void> {
  await Promise.allSettled([...held].map((send) => send(true)));
}

window.addEventListener('pagehide', () => void sendHeld());
