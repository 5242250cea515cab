import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../../api/session';
import { announce } from '../../../display/announce';
import { lazyComponent } from '../../../display/lazy';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { withdrawException, type CheckResult } from './queries';

const Accept = lazyComponent(() => import('./AcceptResult'), 'AcceptResult');

/** The exception of a failed result, or the way to make one. */
export function Exception({ of: row }: { of: CheckResult }) {
  const [asked, setAsked] = useState(false);
  const may = useMay();
  const withdraw = useChange(withdrawException);
  const { exception } = row;
  if (!exception)
    return may('intelligence.operate') ? (
      <>
        <Button
          size="compact-xs"
          variant="default"
          mt={4}
          aria-label={`Accept the failure of ${row.resource_name}`}
          onClick={() => setAsked(true)}
        >
          Accept
        </Button>
        {asked && <Accept of={row} onClose={() => setAsked(false)} />}
      </>
    ) : null;

  return (
    <div style={{ minWidth: 160, maxWidth: 300 }}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        Accepted by {exception.by}
        {exception.until && (
          <>
            {' '}
            until <When at={exception.until} />
          </>
        )}
        : {exception.reason}
      </Text>
      {may('intelligence.operate') && (
        <Button
          size="compact-xs"
          variant="default"
          mt={4}
          aria-label={`Withdraw the exception of ${row.resource_name}`}
          loading={withdraw.isPending}
          onClick={() =>
            withdraw.mutate(exception.id, { onSuccess: () => announce('Exception withdrawn.') })
          }
        >
          Withdraw
        </Button>
      )}
      {withdraw.error && (
        <Text size="xs" c="red" role="alert">
          {withdraw.error.message}
        </Text>
      )}
    </div>
  );
}
