import createClient, { type Middleware } from 'openapi-fetch';
import { Problem, problemOf } from './problem';
import type { paths } from './schema';

/** Called when the session has ended while the page was open. */
let signedOut: () => void = () => undefined;

export function onSignedOut(handler: () => void) {
  signedOut = handler;
}

/** The page whose panels ask again by themselves. The log marks its reads, so that they do not pass for reviews of the log. */
const DASHBOARD = '/audit';

const purpose: Middleware = {
  onRequest({ request }) {
    if (window.location.pathname.replace(/\/$/, '') === DASHBOARD)
      request.headers.set('reeve-purpose', 'dashboard');
    return request;
  },
};

const problems: Middleware = {
  async onResponse({ response, request }) {
    if (response.ok) return undefined;
    const problem = await problemOf(response);
    if (response.status === 401 && !new URL(request.url).pathname.startsWith('/api/v1/sessions'))
      signedOut();
    throw problem;
  },
  onError() {
    return new Problem({
      status: 0,
      code: 'unreachable',
      title: 'Reeve does not answer',
      detail: 'The service cannot be reached. Check that it is running and that you are online.',
    });
  },
};

export const client = createClient<paths>({
  baseUrl: window.location.origin,
  credentials: 'same-origin',
});
client.use(purpose, problems);

/** The body of an answer. Anything but success has been thrown as a `Problem` before. */
export async function body<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data } = await answer;
  return data as T;
}
