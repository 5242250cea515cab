import { Button, Group, Skeleton, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ValueList } from '../../../api/bodies';
import { asProblem, fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { DialogForm, FormModal } from '../../../display/FormDialog';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { listQuery, listsQuery, putList, removeList, valuesOf } from './queries';

interface Props {
  /** The one that is shown; without it a new one is made. */
  list?: ValueList;
  locked: boolean;
  onClose: () => void;
}

/** A list as text, one value a line: added, changed, removed, or only shown. */
export function ListDialog(props: Props) {
  const { list, onClose } = props;
  return (
    <FormModal onClose={onClose} size="lg" title={list ? list.name : 'Add a list'}>
      {list ? <Loaded {...props} list={list} /> : <Fields {...props} text="" version={0} />}
    </FormModal>
  );
}

function Loaded(props: Props & { list: ValueList }) {
  const { data, error, refetch } = useQuery(listQuery(props.list.name));
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton h={280} />;
  return <Fields {...props} text={data.values.join('\n')} version={data.version} />;
}

/** The problem of a change, with the lines that are wrong under the text. */
function messages(error: Error): Record<string, string> {
  const wrong = (asProblem(error).errors ?? []).filter(({ field }) => field.startsWith('values'));
  const values = wrong
    .map(
      ({ field, message }) =>
        `${field.replace(/^values\[(\d+)\]$/, (_, at: string) => `value ${Number(at) + 1}`)} ${message}`,
    )
    .join('; ');
  return { ...fieldMessages(error), ...(values && { text: values }) };
}

function Fields({
  list,
  locked,
  onClose,
  text,
  version,
}: Props & { text: string; version: number }) {
  const queries = useQueryClient();
  const onSettled = () => void queries.invalidateQueries({ queryKey: listsQuery.queryKey });
  const put = useMutation({ mutationFn: putList, onSettled });
  const remove = useMutation({ mutationFn: removeList, onSettled });
  const form = useForm({
    initialValues: { name: list?.name ?? '', description: list?.description ?? '', text },
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  const submit = form.onSubmit((given) =>
    put.mutate(
      {
        name: given.name.trim(),
        description: given.description,
        values: valuesOf(given.text),
        version,
      },
      {
        onSuccess: ({ name }) => {
          announce(`“${name}” is saved`);
          onClose();
        },
        onError: (error) => form.setErrors(messages(error)),
      },
    ),
  );
  const fields = (
    <>
      {!list && (
        <TextInput
          label="Name"
          description="Letters, digits, _, - and ."
          placeholder="known_addresses"
          maxLength={64}
          withAsterisk
          data-autofocus
          {...form.getInputProps('name')}
        />
      )}
      <TextInput
        label="Purpose"
        maxLength={500}
        readOnly={locked}
        {...form.getInputProps('description')}
      />
      <Textarea
        label="Values"
        description="An address, a network or a text a line; # begins a comment"
        placeholder={'10.0.0.0/8\n203.0.113.7'}
        autosize
        minRows={8}
        maxRows={20}
        readOnly={locked}
        spellCheck={false}
        styles={{
          input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' },
        }}
        {...form.getInputProps('text')}
      />
    </>
  );
  if (locked)
    return (
      <Stack gap="md">
        {fields}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    );
  return (
    <DialogForm
      submit={list ? 'Save' : 'Add the list'}
      error={put.error ?? remove.error}
      marked={['name', 'description', 'values']}
      pending={put.isPending}
      disabled={list !== undefined && !form.isDirty()}
      onSubmit={submit}
      onClose={onClose}
    >
      {fields}
      {list && (
        <Group>
          <Button
            variant="subtle"
            color="red"
            loading={remove.isPending}
            onClick={() => remove.mutate(list.name, { onSuccess: onClose })}
          >
            Remove this list
          </Button>
        </Group>
      )}
    </DialogForm>
  );
}
