"""The hash of a task's definition became one of each cell; what was measured keeps its numbers under the new name.

Analogies are not here: their evidence lacks the word pairs that intervals are drawn from, so they are measured again
(``manage.py reevaluate``).
"""

from django.db import migrations

RENAMED = {
    '2a8afdc1550e57c8': {'fixed': '67713debdda4bbaa', 'fine-tuned': '4aa3e1e0a73a93f2'},
    '56ca5c0f6ded1d8a': {'fixed': 'c7fdaf2d729a5882', 'fine-tuned': 'ec8f1992f81aa40c'},
    '6cc8f21394defd04': {'fixed': '94820f9bb8f6d3db', 'fine-tuned': 'e1c889aec795c83b'},
    'ba611a077649717c': {'fixed': '2bf8da6a985cdd43', 'fine-tuned': '702d78d0f75531f3'},
    '7ca041e4dbba4fec': {'fixed': 'ed3e645cded14b62', 'fine-tuned': '8a8bd63aaff28548'},
    '19293201dc927324': {'fixed': 'd66c903266c011fe', 'fine-tuned': '0e71bc4e72693dbf'},
    '9732406cb1202a3e': {'': '6fe1213b1b0f81c8'},
    '424c664173966149': {'': 'd2c4d1e7f10ab87b'},
    '40461ed56e2cd8c6': {'': '2f8ee191c0545c53'},
    '715a273d41093959': {'': 'a0be50c2ced2b3f9'},
    '9ffbde609495fb02': {'': 'd8dfdcb47a213263'},
    '1f86077c8e1924ec': {'': 'afda6182a4cfa695'},
    '1969331779611fd7': {'': '4e01c31d833dc605'},
    '68a08ebf42f84a76': {'': '9db040c46bda3332'},
    '3644a87843d553e3': {'': '25ce4d5d7de54086'},
    '7e5cd90f97510ce7': {'': '3daa32b184ac2655'},
    'b163a76fe9b284ff': {'': '2c363035b3a7cb29'},
    '156110d9d8f2d616': {'': '76a81f9f622b5618'},
    'd8be32b4e5e81394': {'': '83135fe6ad46439d'},
    'd7532e65a6e9812f': {'': '2ff5ea74fb7cf801'},
    '55a40608a1348eee': {'': '4552ba2e4b07809f'},
    '068ac61e7caf2f0c': {'': 'c088f898154aa1aa'},
    'b88d8b67f0600051': {'': '6c3b83296f2112dc'},
    'a3d794c594ab57d2': {'': 'e1b64be71fc400a6'},
    'c19736e677138a63': {'': '67850ef78bd16dc2'},
    'd8f60c87f7705303': {'': '093037495aef4f7a'},
    '285368c9192a60d3': {'': 'decb1bd0a0f7c018'},
    'ab15ef4fd82cce85': {'': '110765a9e5507021'},
    '2b81b6c2796d8493': {'': 'f46b125903a28b39'},
    '24c24e0079b9bf78': {'': 'b279f450342fe7df'},
    'b800166047d79e44': {'': 'b8e996c7414ba189'},
    'a58e1da8df87df3e': {'': '4cf8a57597e28a30'},
    'defefe28e5f18772': {'': 'd346bd710e68ddca'},
    '214b78a63d5dd270': {'': '8b2f2204e6cd72e7'},
    'ddb2f953ba323592': {'': '10ba5815ea990075'},
    '21d6409d8e88686c': {'': '0755ed5ae76784ac'},
    '689ca04852937f43': {'': '88ea03f6f0b44e60'},
    '9aac7b9139f66600': {'': '1b09463446cd4ec8'},
    'a95a1506b3a34cdb': {'': 'b2b6374bf592c7c7'},
    'ea46741222ae0080': {'': '34b0494d32a2a864'},
    '19710bf22ba575e9': {'': 'f998ce9225e8abea'},
    'd5590f2c9783566c': {'': '870aeed8171157ac'},
    '33822a70bde5e1ad': {'': 'ed0bd2f659a020e3'},
    'c5fac58fab1e3e22': {'': '89d191a7834e5807'},
    '73101fd77aa349f9': {'fixed': 'f9a6c9cf69a33cf2', 'fine-tuned': '571c89ff68f3d7e2'},
    'dbc8818889e1dd92': {'fixed': '22cff03753c2acd8', 'fine-tuned': 'f5a3cc35d14d766b'},
    '0598b8a91e9f3762': {'fixed': '0eb495bb992d7797', 'fine-tuned': '70c16566867d530d'},
    '30c4dd4946ed527c': {'fixed': '3206783b1a91940e', 'fine-tuned': 'ef0cc47fa98c6c10'},
    '5e4dfb461b323a99': {'fixed': '317805209e722fe8', 'fine-tuned': 'd10e77d51f1a4a32'},
    '18802a8887ecdd8c': {'fixed': 'c703e705be9f15b2', 'fine-tuned': '38c0baa8eedeffee'},
    '203102389a1531ea': {'': '82f02f5534af7c51'},
    'd58d2825b24aea7a': {'': '2cf2451cf965e843'},
    '1b1dd5ce87b06aa0': {'fixed': 'e9854150d54998aa', 'fine-tuned': '5233e9666ae9f770'},
    '2f8f4061a4b377e9': {'fixed': '3f30e1d77606c30c', 'fine-tuned': '5028fab0a5926a35'},
    '8c37f0cb47657624': {'fixed': '76088c5992a73a4f', 'fine-tuned': '4500a72f04fba346'},
    'd81052e0576533a2': {'fixed': '022e5b5b9bfe6b34', 'fine-tuned': '7b379a9577f08a91'},
    '465432b690ca7a46': {'fixed': 'f8eb91898940923c', 'fine-tuned': '09daeaa32025f0bb'},
    '4acfcaf751c3bead': {'fixed': '0a5c24dd09051ff0', 'fine-tuned': 'b34879be13420a5a'},
    '10f25d32668210e0': {'': '3bd39a17fbfde0df'},
}
"""Old hash → mode → new hash, of the definitions that did not change."""


def rename(apps, schema_editor):
    runs = apps.get_model("submissions", "TaskRun").objects
    for old, by_mode in RENAMED.items():
        for mode, new in by_mode.items():
            for pk in list(runs.filter(task_hash=old, mode=mode).values_list("pk", flat=True)):
                run = runs.only("result").get(pk=pk)  # one at a time: results can be large
                result = {**run.result, "task_hash": new} if run.result else run.result
                runs.filter(pk=pk).update(task_hash=new, result=result)


class Migration(migrations.Migration):

    dependencies = [
        ("submissions", "0007_keys_keep_their_order"),
    ]

    operations = [
        migrations.RunPython(rename, migrations.RunPython.noop),
    ]
