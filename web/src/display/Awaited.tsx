import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Page } from './Page';
import { ProblemAlert } from './ProblemAlert';

interface Props {
  /** What the page is about, until its own name is known. */
  title: string;
  above?: ReactNode;
  error: unknown;
  onRetry: () => unknown;
}

/** A page whose one thing is still on its way, or did not come. */
export function Awaited({ title, above, error, onRetry }: Props) {
  return (
    <Page title={title} above={above}>
      {error ? (
        <ProblemAlert error={error} onRetry={() => void onRetry()} />
      ) : (
        <>
          <Skeleton h={140} radius="lg" />
          <Skeleton h={320} radius="lg" />
        </>
      )}
    </Page>
  );
}
