import { Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldMessages } from '../../api/problem';
import { EndInput, inDays, UP_TO_A_YEAR } from '../../display/EndInput';
import { FormDialog } from '../../display/FormDialog';
import { fromInput } from '../../display/instants';

const SHORTEST_REASON = 10;

interface Props {
  title: string;
  explain: string;
  error: Error | null;
  pending: boolean;
  accept: (given: { reason: string; ends_at?: string }, onError: (error: Error) => void) => void;
  onClose: () => void;
}

/** Asks for the reason and the end of an acceptance: of a drift, or of a failed check. */
export function AcceptanceDialog({ title, explain, error, pending, accept, onClose }: Props) {
  const form = useForm({
    initialValues: { reason: '', ends_at: inDays(30) },
    validate: {
      reason: (value) =>
        value.trim().length < SHORTEST_REASON
          ? `Enter a reason of at least ${SHORTEST_REASON} characters`
          : null,
      ends_at: (value) =>
        value && new Date(value).getTime() > Date.now() ? null : 'Choose a time in the future',
    },
  });
  const submit = form.onSubmit(({ reason, ends_at }) => {
    accept({ reason: reason.trim(), ends_at: fromInput(ends_at) }, (error) =>
      form.setErrors(fieldMessages(error)),
    );
  });
  return (
    <FormDialog
      title={title}
      submit="Accept"
      error={error}
      marked={['reason', 'ends_at']}
      pending={pending}
      onSubmit={submit}
      onClose={onClose}
      explain={explain}
    >
      <Textarea
        label="Reason"
        withAsterisk
        autosize
        minRows={2}
        data-autofocus
        {...form.getInputProps('reason')}
      />
      <EndInput
        description="Your time zone, at most a year ahead"
        required
        periods={UP_TO_A_YEAR}
        first="1 month"
        input={form.getInputProps('ends_at')}
        onPick={(time) => form.setFieldValue('ends_at', time)}
      />
    </FormDialog>
  );
}
