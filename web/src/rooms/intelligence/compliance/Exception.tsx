import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../../api/session';
import { announce } from '../../../display/announce';
import { When } from '../../../display/When';
import { AcceptanceDialog } from '../AcceptanceDialog';
import { useChange } from '../queries';
import { acceptResult, withdrawException, type CheckResult } from './queries';

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

function Accept({ of: row, onClose }: { of: CheckResult; onClose: () => void }) {
  const accept = useChange(acceptResult);
  return (
    <AcceptanceDialog
      title="Accept this failure?"
      explain="You are its approver. The result stays visible as an exception and counts for no score; its recommendation is dismissed. It counts again after the end."
      error={accept.error}
      pending={accept.isPending}
      accept={(given, onError) =>
        accept.mutate(
          {
            check: row.check,
            connection_id: row.connection_id,
            resource_id: row.resource_id,
            document_hash: row.document_hash ?? undefined,
            ...given,
          },
          {
            onSuccess: () => {
              announce('Failure accepted.');
              onClose();
            },
            onError,
          },
        )
      }
      onClose={onClose}
    />
  );
}
