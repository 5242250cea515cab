import { Button, Group, Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldMessages } from '../../../api/problem';
import { bytes, plural } from '../../../display/amounts';
import { announce } from '../../../display/announce';
import { Facts } from '../../../display/Facts';
import { FormDialog } from '../../../display/FormDialog';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { neededRestore } from './neededRestore';
import { approveErasure, erasureReport, rejectErasure, type Erasure } from './queries';

/** A request for erasure: what it is, its approvals, what became of it, and the report. */
export function ErasureDialog({
  erasure,
  status,
  onClose,
}: {
  erasure: Erasure;
  status: string;
  onClose: () => void;
}) {
  const approve = useChange(approveErasure);
  const reject = useChange(rejectErasure);
  const form = useForm({ initialValues: { reason: '' } });
  const isOpen = erasure.status === 'requested';
  const needed = erasure.needed_restore;
  const submit = form.onSubmit(({ reason }) =>
    reject.mutate(
      { id: erasure.id, reason },
      {
        onSuccess: () => {
          announce('Erasure rejected');
          onClose();
        },
        onError: (error: Error) => form.setErrors(fieldMessages(error)),
      },
    ),
  );
  return (
    <FormDialog
      title={`Erasure: ${erasure.email ?? erasure.actor_id ?? erasure.query}`}
      size="lg"
      explain={erasure.reason}
      submit={isOpen ? 'Reject or withdraw' : undefined}
      colour="red"
      error={approve.error ?? reject.error}
      marked={['reason']}
      pending={reject.isPending}
      onSubmit={submit}
      onClose={onClose}
      aside={
        erasure.can_approve && (
          <Button
            loading={approve.isPending}
            onClick={() =>
              approve.mutate(erasure.id, { onSuccess: () => announce('Erasure approved') })
            }
          >
            Approve
          </Button>
        )
      }
    >
      <Facts
        of={[
          ['Status', status],
          ['Actor ID', erasure.actor_id],
          ['E-mail address', erasure.email],
          ['Query', erasure.query],
          ['From', erasure.start_time],
          ['Until', erasure.end_time],
          ['Legal basis', erasure.legal_basis],
          [
            'Requested',
            <span key="requested">
              <When at={erasure.requested_at} /> by {erasure.requested_by}
            </span>,
          ],
          ['Approved by', erasure.approvals.map(({ by }) => by).join(', ')],
          [
            'Rejected',
            erasure.rejected_by && `by ${erasure.rejected_by}: ${erasure.rejection_reason}`,
          ],
          [
            'Erased',
            erasure.erased > 0
              ? `${plural(erasure.erased, 'entry', 'entries')}, ${bytes(erasure.freed_bytes)} of files deleted`
              : undefined,
          ],
          [
            'Kept by legal holds',
            Object.entries(erasure.held)
              .map(([hold, count]) => `${plural(count, 'entry', 'entries')} by ${hold}`)
              .join(', '),
          ],
          [
            'Kept as evidence',
            erasure.evidence > 0 ? plural(erasure.evidence, 'entry', 'entries') : undefined,
          ],
          [
            'Waiting for the next seal',
            erasure.unsealed > 0 ? plural(erasure.unsealed, 'entry', 'entries') : undefined,
          ],
          ['Needs a restore', needed && neededRestore(needed)],
        ]}
      />
      <Group gap="sm">
        {(['pdf', 'json'] as const).map((format) => (
          <Button
            key={format}
            component="a"
            variant="default"
            size="xs"
            href={erasureReport(erasure.id, format)}
            download={`erasure-${erasure.id}.${format}`}
          >
            Report as {format.toUpperCase()}
          </Button>
        ))}
      </Group>
      {isOpen && (
        <Textarea
          label="Reason to reject or withdraw"
          autosize
          minRows={2}
          {...form.getInputProps('reason')}
        />
      )}
    </FormDialog>
  );
}
