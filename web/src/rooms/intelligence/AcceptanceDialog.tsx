import { Chip, Group, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldMessages } from '../../api/problem';
import { FormDialog } from '../../display/FormDialog';
import { fromInput, toInput } from '../../display/instants';

const SHORTEST_REASON = 10;
const PERIODS: [string, number][] = [
  ['1 week', 7],
  ['1 month', 30],
  ['3 months', 91],
  ['1 year', 365],
];

// A minute less, so that a year is still within the bound when it arrives.
const inDays = (days: number) => toInput(new Date(Date.now() + days * 86_400_000 - 60_000));

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
      <div>
        <TextInput
          label="Ends"
          withAsterisk
          type="datetime-local"
          description="Your time zone, at most a year ahead"
          {...form.getInputProps('ends_at')}
        />
        <Group gap="xs" mt={8}>
          {PERIODS.map(([label, days]) => (
            <Chip
              key={label}
              size="xs"
              checked={form.values.ends_at === inDays(days)}
              onChange={() => form.setFieldValue('ends_at', inDays(days))}
            >
              {label}
            </Chip>
          ))}
        </Group>
      </div>
    </FormDialog>
  );
}
