import { Alert, Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconFile, IconLock } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ThreatList } from '../../../api/bodies';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { plural } from '../../../display/amounts';
import { announceUndoable } from '../../../display/announceUndoable';
import { DialogForm, FormModal } from '../../../display/FormDialog';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { IndicatorText } from './IndicatorText';
import { WrongLines } from './WrongLines';
import { nameOfFile, objection, wrongLines } from './indicators';
import { putThreatList, readThreatList, threatListQuery } from './queries';

interface Props {
  /** All that there are: a name that is taken is reported before it is replaced. */
  known: ThreatList[];
  /** The one that is shown; without it a new one is made. */
  list?: ThreatList;
  locked: boolean;
  onClose: () => void;
}

/** A list as text: added, replaced, or only shown. */
export function ThreatListDialog(props: Props) {
  const { list, locked, onClose } = props;
  const title = list ? list.name : 'Add a threat list';
  return (
    <FormModal onClose={onClose} size="lg" title={title}>
      {!list && <Fields {...props} before={undefined} />}
      {list && (
        <Loaded {...props} list={list} locked={locked || list.source === 'file'} noRight={locked} />
      )}
    </FormModal>
  );
}

function Loaded({ noRight, ...props }: Props & { list: ThreatList; noRight: boolean }) {
  const { list, locked, onClose } = props;
  const { data, error, refetch } = useQuery(threatListQuery(list.name));
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton h={320} />;
  const about = (
    <Text size="sm" className="muted">
      {plural(data.indicator_count, 'indicator')}, updated <When at={data.updated_at} form="ago" />
      {data.source === 'file' ? '' : ` by ${data.updated_by}`}.
    </Text>
  );
  if (!locked)
    return (
      <Stack gap="md">
        {about}
        <Fields {...props} before={data.indicators} />
      </Stack>
    );
  return (
    <Stack gap="md">
      {about}
      {data.source === 'file' ? (
        <Alert color="gray" variant="light" icon={<IconFile size={18} />} title="Managed as a file">
          <Text size="sm">
            Edit the file in threat-lists/ of the data directory. Changes apply within a minute.
            Deleting the file removes the list.
          </Text>
        </Alert>
      ) : (
        noRight && (
          <Alert color="gray" variant="light" icon={<IconLock size={18} />}>
            Read-only. Only operators and administrators can change this.
          </Alert>
        )
      )}
      <IndicatorText value={data.indicators} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  );
}

function Fields({ known, list, before, onClose }: Props & { before: string | undefined }) {
  const queries = useQueryClient();
  const area = useRef<HTMLTextAreaElement>(null);
  const put = useChange(async (given: { name: string; indicators: string; replaces: boolean }) => {
    // What stands there now is what an undo brings back, not what stood there when the dialog was opened.
    const was = given.replaces ? (await readThreatList(given.name)).indicators : undefined;
    return { was, now: await putThreatList(given) };
  });
  const sameName = (name: string, source: string) =>
    known.find((one) => one.name === name.trim() && one.source === source);
  const form = useForm({
    initialValues: { name: list?.name ?? '', indicators: before ?? '' },
    validate: {
      name: (value) =>
        value.trim() === ''
          ? 'Enter a name'
          : !list && sameName(value, 'file')
            ? 'A file in the data directory has this name; choose another'
            : null,
      indicators: (value) => objection(value) ?? null,
    },
  });
  const replaced = list ? undefined : sameName(form.values.name, 'api');
  const submit = form.onSubmit(({ name, indicators }) =>
    put.mutate(
      { name: name.trim(), indicators, replaces: Boolean(list ?? replaced) },
      {
        onSuccess: ({ was, now }) => {
          const message = `“${now.name}” has ${plural(now.indicator_count, 'indicator')} now.`;
          const undo = async (text: string) => {
            await putThreatList({ name: now.name, indicators: text });
            await queries.invalidateQueries({ queryKey: ['intelligence'] });
          };
          if (was === undefined) announce(message);
          else announceUndoable(message, () => undo(was));
          onClose();
        },
        onError: (error) =>
          form.setErrors(
            wrongLines(error).length > 0
              ? { indicators: 'Some lines are wrong; nothing was saved' }
              : fieldMessages(error),
          ),
      },
    ),
  );
  const read = (text: string, file?: string) => {
    form.setFieldValue('indicators', text);
    if (file && form.values.name.trim() === '') form.setFieldValue('name', nameOfFile(file));
  };
  const wrong = wrongLines(put.error);
  return (
    <DialogForm
      submit={list ? 'Save' : replaced ? 'Replace the list' : 'Add the list'}
      error={wrong.length === 0 ? put.error : undefined}
      marked={['name', 'indicators']}
      pending={put.isPending}
      disabled={list !== undefined && !form.isDirty()}
      onSubmit={submit}
      onClose={onClose}
    >
      <IndicatorText
        value={form.values.indicators}
        error={form.errors.indicators}
        area={area}
        replaces={list !== undefined}
        onRead={read}
        onRefuse={(why) => form.setFieldError('indicators', why)}
      />
      <WrongLines of={wrong} text={form.values.indicators} area={area} />
      {!list && (
        <TextInput
          label="Name"
          placeholder="Scanners of May"
          maxLength={128}
          withAsterisk
          {...form.getInputProps('name')}
        />
      )}
      {replaced && (
        <Alert color="yellow" variant="light" role="status" title="There is a list of this name">
          Its {plural(replaced.indicator_count, 'indicator')}{' '}
          {replaced.indicator_count === 1 ? 'is' : 'are'} replaced by these.
        </Alert>
      )}
    </DialogForm>
  );
}
