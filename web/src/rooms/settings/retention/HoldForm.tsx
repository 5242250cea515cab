import { SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { useChange } from '../queries';
import { placeHold, releaseHold, type LegalHold } from './queries';
import { PeriodFields } from './PeriodFields';

const FIELDS = ['case', 'query', 'custodian', 'reason', 'review_on', 'start_time', 'end_time'];

/** A new legal hold. */
export function HoldForm({ onClose }: { onClose: () => void }) {
  const place = useChange(placeHold);
  const form = useForm({
    initialValues: {
      case: '',
      query: '',
      custodian: '',
      reason: '',
      review_on: '',
      start_time: '',
      end_time: '',
    },
  });
  const submit = form.onSubmit((given) =>
    place.mutate(
      {
        ...given,
        review_on: given.review_on || undefined,
        start_time: given.start_time || undefined,
        end_time: given.end_time || undefined,
      },
      {
        onSuccess: () => {
          announce('Legal hold placed');
          onClose();
        },
        onError: (error: Error) => form.setErrors(fieldMessages(error)),
      },
    ),
  );
  return (
    <FormDialog
      title="Place a legal hold"
      size="lg"
      explain="Entries that satisfy the query are not deleted until the hold is released. It is in force as soon as it is placed."
      submit="Place hold"
      error={place.error}
      marked={FIELDS}
      pending={place.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput label="Case" withAsterisk data-autofocus {...form.getInputProps('case')} />
      <TextInput
        label="Query"
        description="Entries that are kept; empty for all. Lists and relative times are not accepted, since their meaning changes."
        placeholder="actor.id:alice"
        {...form.getInputProps('query')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <PeriodFields inputProps={form.getInputProps} />
        <TextInput label="Custodian" withAsterisk {...form.getInputProps('custodian')} />
        <TextInput
          label="Review on"
          placeholder="2027-01-31"
          {...form.getInputProps('review_on')}
        />
      </SimpleGrid>
      <Textarea
        label="Reason"
        withAsterisk
        autosize
        minRows={2}
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  );
}

/** The end of a legal hold, with its reason. */
export function ReleaseForm({ hold, onClose }: { hold: LegalHold; onClose: () => void }) {
  const release = useChange(releaseHold);
  const form = useForm({ initialValues: { reason: '' } });
  const submit = form.onSubmit(({ reason }) =>
    release.mutate(
      { id: hold.id, reason },
      {
        onSuccess: () => {
          announce('Legal hold released');
          onClose();
        },
        onError: (error: Error) => form.setErrors(fieldMessages(error)),
      },
    ),
  );
  return (
    <FormDialog
      title={`Release ${hold.case}`}
      explain="Entries whose period has passed, and that no other hold keeps, are deleted within ten minutes."
      submit="Release hold"
      colour="red"
      error={release.error}
      marked={['reason']}
      pending={release.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Textarea
        label="Reason"
        withAsterisk
        autosize
        minRows={2}
        data-autofocus
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  );
}
