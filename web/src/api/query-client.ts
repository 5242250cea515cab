import { QueryClient } from '@tanstack/react-query';
import { Problem } from './problem';

/** Answers are fresh for ten seconds; only what may heal by itself is tried again. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: false,
        retry: (tries, error) =>
          tries < 2 && error instanceof Problem && (error.status === 0 || error.status >= 502),
      },
    },
  });
}
